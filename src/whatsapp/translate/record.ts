/** Message records: author, chat, content, and the bytes to keep. */
import { jidUser } from '../../domain/jid.ts';
import type { MessageMedia, Person } from '../../domain/messages/parts.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MediaPart } from './parts/kind.ts';
import { proto } from '../library/proto.ts';
import { associatedIn, isViewOnce, secretIn } from './parts/unwrap.ts';
import { type MessageContent, partsOf } from './content.ts';
import type { Envelope } from './parts/envelope.ts';
import { maxText } from './parts/kind.ts';
import { type Peek, withNames } from '../identity/people.ts';

export const mediaOf = (part: MediaPart): MessageMedia => ({
  mimetype: part.mimetype,
  bytes: part.bytes,
  sha256: part.sha256 === null ? null : Buffer.from(part.sha256).toString('hex'),
  fileName: part.fileName,
  voice: part.voice,
  gif: part.gif,
  ...(part.note && { note: true }),
  seconds: part.seconds,
  width: part.width,
  height: part.height,
  waveform: part.waveform,
});

const maxBytes = 1_048_576;

/** Bytes for re-reading by a later version; null for plain texts, which are complete, and for view-once messages. */
const keptBytes = (content: MessageContent, message: proto.IMessage, viewOnce: boolean, bytes?: Uint8Array) => {
  const isPlain = typeof message.conversation === 'string' && message.conversation.length <= maxText;
  if (isPlain || viewOnce) return null;
  const kept = bytes ?? proto.Message.encode(message).finish();
  return kept.length <= maxBytes || content.media !== null ? kept : null;
};

/** In LID groups the text names members by LID; callers know people by number (`send/naming.ts`). */
export const withNumbers = <T extends string | null>(text: T, mentions: readonly Person[] = []): T | string => {
  if (text === null || mentions.length === 0) return text;
  const numbers = new Map<string, string>();
  for (const { lid, number } of mentions) if (lid !== null && number !== null) numbers.set(jidUser(lid), number);
  return withNames(text, numbers);
};

const membersOf = (content: MessageContent, message: proto.IMessage, peek: Peek) => {
  const { type, text, quotedMessageId, media } = content;
  const associated = associatedIn(message);
  const own = partsOf(content, peek);
  const parts = associated === null ? own : { ...own, ...associated };
  return {
    type,
    text: withNumbers(text, parts?.mentions),
    quotedMessageId,
    media: media === null ? null : mediaOf(media),
    parts,
    // Most messages are plain texts.
    viewOnce: typeof message.conversation !== 'string' && isViewOnce(message),
  };
};

export const recordOf = (
  envelope: Envelope,
  content: MessageContent,
  message: proto.IMessage,
  peek: Peek,
  bytes?: Uint8Array,
): MessageRecord => {
  const { type, text, quotedMessageId, media, parts, viewOnce } = membersOf(content, message, peek);
  const kept = keptBytes(content, message, viewOnce, bytes);
  const { username = null } = envelope.from;
  const record: MessageRecord = {
    id: envelope.id,
    chat: envelope.chat,
    chatNumber: envelope.chatNumber,
    chatLid: envelope.chatLid,
    direction: envelope.fromMe ? 'out' : 'in',
    from: envelope.from.jid,
    fromNumber: envelope.from.number,
    fromLid: envelope.from.lid,
    pushName: envelope.pushName,
    isGroup: envelope.isGroup,
    type,
    text,
    quotedMessageId,
    media,
    parts,
    viewOnce,
    content: kept,
    secret: kept === null ? secretIn(message) : null,
    state: envelope.fromMe ? 'accepted' : 'delivered',
    timestamp: envelope.at,
    acceptedAt: envelope.fromMe ? envelope.at : null,
    deliveredAt: envelope.fromMe ? null : envelope.at,
    readAt: null,
    failedAt: null,
    deletedAt: null,
  };
  return username === null ? record : { ...record, fromUsername: username };
};

export const rereadRecord = (
  record: MessageRecord,
  content: MessageContent,
  message: proto.IMessage,
  peek: Peek,
): MessageRecord => {
  const members = membersOf(content, message, peek);
  if (!members.viewOnce) return { ...record, ...members };
  return { ...record, ...members, content: null, secret: secretIn(message) };
};
