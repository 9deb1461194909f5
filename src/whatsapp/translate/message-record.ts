/** The record of a message: who wrote it where, its content, and the bytes that are kept of it. */
import { proto } from '../engine/proto.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MessageContent } from './content.ts';
import { partsOf } from './context.ts';
import type { Envelope } from './envelope.ts';
import { maxText } from './kind.ts';
import type { Peek } from './people.ts';
import { mediaOf, type MediaUrl } from './record.ts';
import { isViewOnce, secretIn } from './unwrap.ts';

interface RecordContext {
  readonly mediaUrl: MediaUrl;
  readonly peek: Peek;
}

/** Larger messages without media are kept as they were translated alone. */
const mostBytes = 1_048_576;

/**
 * The bytes that a later version may read anew, or null: of a plain text its text is all there is, and what is to be viewed once is
 * not kept.
 */
const keptBytes = (content: MessageContent, message: proto.IMessage, viewOnce: boolean, bytes?: Uint8Array) => {
  const isPlain = typeof message.conversation === 'string' && message.conversation.length <= maxText;
  if (isPlain || viewOnce) return null;
  const kept = bytes ?? proto.Message.encode(message).finish();
  // Media cannot be fetched without them.
  return kept.length <= mostBytes || content.media !== null ? kept : null;
};

/** The members of a record that its content gives. */
const membersOf = (id: string, content: MessageContent, message: proto.IMessage, { mediaUrl, peek }: RecordContext) => {
  const { type, text, quotedMessageId, media } = content;
  return {
    type,
    text,
    quotedMessageId,
    media: media === null ? null : mediaOf(media, mediaUrl(id)),
    parts: partsOf(content, peek),
    // Most messages are plain texts.
    viewOnce: typeof message.conversation !== 'string' && isViewOnce(message),
  };
};

/** The record of a new message. `bytes`: as it was encrypted. */
export const recordOf = (
  envelope: Envelope,
  content: MessageContent,
  message: proto.IMessage,
  context: RecordContext,
  bytes?: Uint8Array,
): MessageRecord => {
  const { type, text, quotedMessageId, media, parts, viewOnce } = membersOf(envelope.id, content, message, context);
  const kept = keptBytes(content, message, viewOnce, bytes);
  return {
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
};

/** A stored record of which the content is read anew. */
export const rereadRecord = (
  record: MessageRecord,
  content: MessageContent,
  message: proto.IMessage,
  context: RecordContext,
): MessageRecord => {
  const members = membersOf(record.id, content, message, context);
  if (!members.viewOnce) return { ...record, ...members };
  return { ...record, ...members, content: null, secret: secretIn(message) };
};
