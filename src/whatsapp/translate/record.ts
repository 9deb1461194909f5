/** Message records and the events that tell of them. */
import type { DeviceEvent, MessageData, NewEvent } from '../../domain/event.ts';
import { allParts, type MessageMedia } from '../../domain/messages/parts.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MediaPart } from './media-part.ts';

/** The absolute URL of a message's media (docs/spec/messages.md, Media). */
export type MediaUrl = (messageId: string) => string;

export const mediaOf = (part: MediaPart, url: string): MessageMedia => ({
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
  url,
});

/** As it was written last: what comes together has one time mostly. */
let [writtenAt, written] = [Number.NaN, ''];

const timestampOf = (at: number): string => {
  if (at !== writtenAt) [writtenAt, written] = [at, new Date(at).toISOString()];
  return written;
};

/** Member by member: a literal is several times as fast as a spread, and this is made for each message. */
export const messageDataOf = (record: MessageRecord): MessageData => {
  const parts = allParts(record.parts);
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
    timestamp: timestampOf(record.timestamp),
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
