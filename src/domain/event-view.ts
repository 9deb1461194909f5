/** Shows stored events and messages to callers: media URLs below the service's present address, times in RFC 3339. */
import type { DeviceEvent, EventEnvelope, MessageData, MessageUpdate, StoredEvent } from './event.ts';
import type { MessageMedia, MessageParts } from './messages/parts.ts';

/** The absolute URL of a message's media (docs/spec/messages.md, Media). */
export type MediaUrl = (deviceId: number, messageId: string) => string;

/** `baseUrl`: the interface's, with `/v1`, at the time the URL is made. */
export const mediaUrlsBelow =
  (baseUrl: () => string): MediaUrl =>
  (deviceId, messageId) =>
    `${baseUrl()}/devices/${deviceId}/messages/${encodeURIComponent(messageId)}/media`;

export const iso = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

type UrlOf = (messageId: string) => string;

export const mediaView = (media: MessageMedia | null, urlOf: UrlOf, messageId: string) =>
  media === null ? null : { ...media, url: urlOf(messageId) };

const plannedView = (event: NonNullable<MessageParts['event']>) => ({
  ...event,
  startsAt: isoOrNull(event.startsAt),
  endsAt: isoOrNull(event.endsAt),
});

/** Parts that contain times. */
export const timedView = ({ event, groupInvite }: Pick<MessageParts, 'event' | 'groupInvite'>) => ({
  event: event === null ? null : plannedView(event),
  groupInvite: groupInvite === null ? null : { ...groupInvite, expiresAt: isoOrNull(groupInvite.expiresAt) },
});

const messageView = (message: MessageData, urlOf: UrlOf) => ({
  ...message,
  timestamp: iso(message.timestamp),
  media: mediaView(message.media, urlOf, message.id),
  ...timedView(message),
});

const updateView = (messageId: string, update: MessageUpdate, urlOf: UrlOf): object => {
  if ('media' in update) return { media: mediaView(update.media, urlOf, messageId) };
  if ('message' in update) return { message: messageView(update.message, urlOf) };
  if ('event' in update && update.event !== undefined) return { ...update, event: plannedView(update.event) };
  return update;
};

const dataView = ({ type, data }: DeviceEvent, urlOf: UrlOf): object => {
  switch (type) {
    case 'message.received':
    case 'message.sent':
      return { ...data, message: messageView(data.message, urlOf) };
    case 'message.updated':
      return { ...data, update: updateView(data.messageId, data.update, urlOf) };
    case 'chat.settled':
      return { ...data, messages: data.messages.map((message) => messageView(message, urlOf)) };
    case 'chat.presence':
      return { ...data, lastSeenAt: isoOrNull(data.lastSeenAt) };
    default:
      return data;
  }
};

export const envelopeOf = ({ id, deviceId, at, event }: StoredEvent, mediaUrl: MediaUrl): EventEnvelope => ({
  id,
  type: event.type,
  timestamp: iso(at),
  deviceId,
  data: dataView(event, (messageId) => mediaUrl(deviceId, messageId)),
});
