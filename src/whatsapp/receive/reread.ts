/** Re-reads stored messages of unknown kind with this version (docs/spec/messages.md, Message log). */
import { decodeMessage } from '../translate/parts/decode.ts';
import type { proto } from '../library/proto.ts';
import { joinChanges, type SessionChanges } from '../../domain/changes.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import type { Jid } from '../../domain/jid.ts';
import { makeLidMapping } from '../signal/lid-mapping.ts';
import { Budget } from '../translate/parts/limits.ts';
import { type Content, contentOf, peopleIn } from '../translate/content.ts';
import { rereadRecord } from '../translate/message.ts';
import { nextTurn } from '../../domain/turns.ts';

export interface RereadOptions {
  readonly deviceId: number;
  readonly store: SessionCredentials;
  readonly now: number;
}

const readAgain = (bytes: Uint8Array): { readonly message: proto.IMessage; readonly content: Content } => {
  const message = decodeMessage(bytes);
  return { message, content: contentOf(message) };
};

const within = <T>(budget: Budget, read: () => T): T | null => {
  try {
    return budget.run(read);
  } catch {
    return null;
  }
};

/** Changes that give messages their content; none for those still unknown. */
export const rereadMessages = async (
  { deviceId, store, now }: RereadOptions,
  records: readonly MessageRecord[],
): Promise<SessionChanges> => {
  const people = makeLidMapping({ deviceId, store });
  const changes: SessionChanges[] = [];
  for (const record of records) {
    await nextTurn();
    if (record.type !== 'unknown' || record.content === null || record.deletedAt !== null) continue;
    const budget = new Budget(record.content.length);
    const read = within(budget, () => readAgain(record.content!));
    if (read?.content.kind !== 'message' || read.content.type === 'unknown') continue;
    const { content, message } = read;
    for (const jid of peopleIn(content)) await people.addressesOf(jid);
    const reread = within(budget, () => rereadRecord(record, content, message, (jid: Jid) => people.peek(jid)));
    if (reread === null) continue;
    const { id: messageId, chat } = record;
    changes.push({ messageChanges: [{ messageId, chat, reread }], facts: [{ completed: reread, at: now }] });
  }
  people.close();
  return joinChanges(changes);
};
