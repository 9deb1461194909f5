/** Reads stored messages of unknown kind anew, with what this version knows (docs/spec/messages.md, Message log). */
import { proto } from '../engine/proto.ts';
import { joinChanges, type SessionChanges } from '../../domain/changes.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import { makeLidMapping } from '../signal/lid-mapping.ts';
import { type Content, contentOf, peopleIn } from '../translate/content.ts';
import { arrivedEvent } from '../translate/message.ts';
import { rereadRecord, type MediaUrl } from '../translate/record.ts';

export interface RereadOptions {
  readonly deviceId: number;
  readonly store: SessionCredentials;
  readonly mediaUrl: MediaUrl;
  readonly now: number;
}

/** Null for bytes that this version cannot read either. */
const readAgain = (bytes: Uint8Array): { readonly message: proto.IMessage; readonly content: Content } | null => {
  try {
    const message = proto.Message.decode(bytes);
    return { message, content: contentOf(message) };
  } catch {
    return null;
  }
};

/** The changes that give messages their content, each with its event; of those that are still unknown, none. */
export const rereadMessages = async (
  { deviceId, store, mediaUrl, now }: RereadOptions,
  records: readonly MessageRecord[],
): Promise<SessionChanges> => {
  const people = makeLidMapping({ deviceId, store });
  const changes: SessionChanges[] = [];
  for (const record of records) {
    if (record.type !== 'unknown' || record.content === null || record.deletedAt !== null) continue;
    const read = readAgain(record.content);
    if (read?.content.kind !== 'message' || read.content.type === 'unknown') continue;
    for (const jid of peopleIn(read.content)) await people.addressesOf(jid);
    const reread = rereadRecord(record, read.content, read.message, { mediaUrl, peek: (jid) => people.peek(jid) });
    const { id: messageId, chat } = record;
    changes.push({ messageChanges: [{ messageId, chat, reread }], events: [arrivedEvent(reread, now)] });
  }
  people.close();
  return joinChanges(changes);
};
