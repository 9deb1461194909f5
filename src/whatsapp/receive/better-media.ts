/** Gives an image or a video the file of its version in HD, which its author sends after it. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { isSamePerson } from '../../domain/messages/person.ts';
import { proto } from '../engine/proto.ts';
import { decodeMessage } from '../translate/decode.ts';
import { newEvent } from '../translate/record.ts';
import { unwrap } from '../translate/parts/unwrap.ts';
import { authorOf } from '../updates/revokes.ts';

/** The content of a message with the file of another one: caption, quotes and mentions stay. */
const withFileOf = (content: Uint8Array, better: Uint8Array): Uint8Array | null => {
  const message = proto.Message.create(decodeMessage(content));
  const [inner, file] = [unwrap(message), unwrap(decodeMessage(better))];
  for (const kind of ['imageMessage', 'videoMessage'] as const) {
    const [own, other] = [inner[kind], file[kind]];
    if (!own || !other) continue;
    inner[kind] = { ...other, caption: own.caption ?? null, contextInfo: own.contextInfo ?? null };
    return proto.Message.encode(message).finish();
  }
  return null;
};

/**
 * The changes that give a message the media of its version in HD. Null where `hd` is none, but a message of its own: by somebody else, or of another kind.
 * Nothing changes where the message is deleted, or has that media.
 */
export const changesOfHd = (
  original: MessageRecord,
  hd: MessageRecord,
): Pick<SessionChanges, 'messageChanges' | 'events'> | null => {
  const author = authorOf(hd);
  if (!isSamePerson(authorOf(original), author)) return null;
  if (original.deletedAt !== null || original.viewOnce) return {};
  const merged = original.content && hd.content ? withFileOf(original.content, hd.content) : null;
  if (merged === null || original.media === null || hd.media === null) return null;
  if (hd.media.sha256 !== null && hd.media.sha256 === original.media.sha256) return {};
  const { id: messageId, media: former } = original;
  const { chat, chatNumber, chatLid } = hd;
  const media = { ...hd.media, fileName: former.fileName, gif: former.gif };
  const data = { messageId, chat, chatNumber, chatLid, update: { media } };
  const event = newEvent({ type: 'message.updated', data }, hd.timestamp, chat, messageId, 'hd', hd.from, hd.id);
  return {
    messageChanges: [{ messageId, chat: original.chat, author, content: merged, media }],
    events: [{ ...event, claim: { messageId, chat, author } }],
  };
};
