/** Message records, and the events that tell of them: who wrote it where, its content, and the bytes that are kept of it. */
import type { DeviceEvent, MessageData, NewEvent } from '../../domain/event.ts';
import { jidUser } from '../../domain/jid.ts';
import { noParts, type MessageMedia, type Person } from '../../domain/messages/parts.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MediaPart } from './parts/kind.ts';
import { proto } from '../engine/proto.ts';
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
  seconds: part.seconds,
  width: part.width,
  height: part.height,
  waveform: part.waveform,
});

/** Member by member: a literal is several times as fast as a spread, and this is made for each message. */
export const messageDataOf = (record: MessageRecord): MessageData => {
  const parts = record.parts === undefined ? noParts : { ...noParts, ...record.parts };
  return {
    id: record.id,
    chat: record.chat,
    chatNumber: record.chatNumber,
    chatLid: record.chatLid,
    from: record.from,
    fromNumber: record.fromNumber,
    fromLid: record.fromLid,
    pushName: record.pushName,
    isGroup: record.isGroup,
    timestamp: record.timestamp,
    type: record.type,
    text: record.text,
    quotedMessageId: record.quotedMessageId,
    media: record.media,
    quoted: parts.quoted,
    mentions: parts.mentions,
    forwarded: parts.forwarded,
    expiresInSeconds: parts.expiresInSeconds,
    location: parts.location,
    contacts: parts.contacts,
    poll: parts.poll,
    selection: parts.selection,
    referral: parts.referral,
    link: parts.link,
    event: parts.event,
    groupInvite: parts.groupInvite,
    album: parts.album,
    hdOf: parts.hdOf,
    viewOnce: record.viewOnce ?? false,
    unavailable: record.unavailable ?? null,
  };
};

/** Wraps an event: the key makes a redelivery one event, the chat keeps its events in order. */
export const newEvent = (
  event: DeviceEvent,
  at: number,
  chat: string,
  ...key: readonly (string | null)[]
): NewEvent => {
  let dedupeKey = `${event.type} ${chat}`;
  for (const part of key) dedupeKey += ` ${part ?? ''}`;
  return { event, at, orderKey: chat, dedupeKey };
};

export const receivedEvent = (record: MessageRecord): NewEvent =>
  newEvent(
    { type: 'message.received', data: { message: messageDataOf(record) } },
    record.timestamp,
    record.chat,
    record.from,
    record.id,
  );

export const sentEvent = (record: MessageRecord, source: 'api' | 'phone', at: number): NewEvent =>
  newEvent({ type: 'message.sent', data: { message: messageDataOf(record), source } }, at, record.chat, record.id);

/** Larger messages without media are kept as they were translated alone. */
const maxBytes = 1_048_576;

/**
 * The bytes that a later version may read anew, or null: of a plain text its text is all there is, and what is to be viewed once is
 * not kept.
 */
const keptBytes = (content: MessageContent, message: proto.IMessage, viewOnce: boolean, bytes?: Uint8Array) => {
  const isPlain = typeof message.conversation === 'string' && message.conversation.length <= maxText;
  if (isPlain || viewOnce) return null;
  const kept = bytes ?? proto.Message.encode(message).finish();
  // Media cannot be fetched without them.
  return kept.length <= maxBytes || content.media !== null ? kept : null;
};

/** In groups whose members have LIDs the text names them by LID; callers know people by number (`send/naming.ts`). */
export const withNumbers = <T extends string | null>(text: T, mentions: readonly Person[] = []): T | string => {
  if (text === null || mentions.length === 0) return text;
  const numbers = new Map<string, string>();
  for (const { lid, number } of mentions) if (lid !== null && number !== null) numbers.set(jidUser(lid), number);
  return withNames(text, numbers);
};

/** The members of a record that its content gives. */
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

/** The record of a new message. `bytes`: as it was encrypted. */
export const recordOf = (
  envelope: Envelope,
  content: MessageContent,
  message: proto.IMessage,
  peek: Peek,
  bytes?: Uint8Array,
): MessageRecord => {
  const { type, text, quotedMessageId, media, parts, viewOnce } = membersOf(content, message, peek);
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
  peek: Peek,
): MessageRecord => {
  const members = membersOf(content, message, peek);
  if (!members.viewOnce) return { ...record, ...members };
  return { ...record, ...members, content: null, secret: secretIn(message) };
};
