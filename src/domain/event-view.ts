/** Events and messages as callers see them: absolute media URLs, RFC 3339 times. */
import type { DeviceEvent, EventEnvelope, MessageData, MessageUpdate, StoredEvent } from './event.ts';
import type { GroupChange } from './groups/group.ts';
import type { MessageMedia, MessageParts, Person } from './messages/parts.ts';

/** The absolute URL of the media of a message (docs/spec/messages.md, Media), or of a status. */
export type MediaUrl = (deviceId: number, messageId: string, of?: 'messages' | 'status') => string;

/** `baseUrl`: present address of the interface, with `/v1`. */
export const mediaUrlsBelow =
  (baseUrl: () => string): MediaUrl =>
  (deviceId, messageId, of = 'messages') =>
    `${baseUrl()}/devices/${deviceId}/${of}/${encodeURIComponent(messageId)}/media`;

export const iso = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

/** Times of an event; those of 0.3 are stored in RFC 3339. */
const timeView = (time: number | string | null): string | null => (typeof time === 'number' ? iso(time) : time);

/** Stored people have a username only if it was known. */
export const personView = ({ jid, number, lid, username = null }: Person) => ({ jid, number, lid, username });

export const personOrNull = (person: Person | null) => (person === null ? null : personView(person));

export const peopledView = ({ quoted, mentions }: Pick<MessageParts, 'quoted' | 'mentions'>) => ({
  quoted: quoted === null ? null : { ...quoted, from: personOrNull(quoted.from) },
  mentions: mentions.map(personView),
});

type UrlOf = (messageId: string, of?: 'status') => string;

/** Media that was stored earlier has no `note`. */
export const noted = (media: MessageMedia | null) => media && { ...media, note: media.note ?? false };

export const mediaView = (media: MessageMedia | null, urlOf: UrlOf, messageId: string) =>
  media === null ? null : { ...media, note: media.note ?? false, url: urlOf(messageId) };

const plannedView = (event: NonNullable<MessageParts['event']>) => ({
  ...event,
  startsAt: isoOrNull(event.startsAt),
  endsAt: isoOrNull(event.endsAt),
});

export const timedView = ({ event, groupInvite }: Pick<MessageParts, 'event' | 'groupInvite'>) => ({
  event: event === null ? null : plannedView(event),
  groupInvite: groupInvite === null ? null : { ...groupInvite, expiresAt: isoOrNull(groupInvite.expiresAt) },
});

const messageView = (message: MessageData, urlOf: UrlOf) => ({
  ...message,
  fromUsername: message.fromUsername ?? null,
  timestamp: iso(message.timestamp),
  media: mediaView(message.media, urlOf, message.id),
  ...timedView(message),
  ...peopledView(message),
});

const updateView = (messageId: string, update: MessageUpdate, urlOf: UrlOf): object => {
  if ('media' in update) return { media: mediaView(update.media, urlOf, messageId) };
  if ('message' in update) return { message: messageView(update.message, urlOf) };
  if ('event' in update && update.event !== undefined) return { ...update, event: plannedView(update.event) };
  if ('from' in update && update.from !== undefined) return { ...update, from: personView(update.from) };
  return update;
};

const groupChangeView = (change: GroupChange): object => {
  if ('numberChanged' in change) {
    const { from, to } = change.numberChanged;
    return { numberChanged: { from: personView(from), to: personView(to) } };
  }
  return Object.fromEntries(
    Object.entries(change).map(([name, value]: [string, unknown]) => [
      name,
      Array.isArray(value) ? value.map((person: Person) => personView(person)) : value,
    ]),
  );
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
    case 'status.received': {
      const { timestamp, media, id } = data.status;
      return {
        status: {
          ...data.status,
          timestamp: iso(timestamp),
          media: mediaView(media, (each) => urlOf(each, 'status'), id),
        },
      };
    }
    case 'channel.message':
      return {
        ...data,
        message: { ...data.message, timestamp: iso(data.message.timestamp), media: noted(data.message.media) },
      };
    case 'chat.updated': {
      const { change } = data;
      if (change.mutedUntil === undefined) return data;
      return { ...data, change: { ...change, mutedUntil: timeView(change.mutedUntil) } };
    }
    case 'chat.cleared':
    case 'chat.deleted':
    case 'account.limited':
      return { ...data, until: timeView(data.until) };
    case 'connection.closed':
      return data.until === undefined ? data : { ...data, until: timeView(data.until) };
    case 'connection.auth':
      return { ...data, expiresAt: timeView(data.expiresAt) };
    case 'chat.presence':
      return { ...data, person: personView(data.person), lastSeenAt: isoOrNull(data.lastSeenAt) };
    case 'message.deleted':
    case 'status.deleted':
    case 'status.viewed':
      return { ...data, by: personView(data.by) };
    case 'call':
      return { ...data, fromUsername: data.fromUsername ?? null };
    case 'group.updated':
      return { ...data, by: personOrNull(data.by), change: groupChangeView(data.change) };
    case 'group.joined':
    case 'group.left':
      return { ...data, by: personOrNull(data.by) };
    default:
      return data;
  }
};

export const envelopeOf = ({ id, deviceId, at, event }: StoredEvent, mediaUrl: MediaUrl): EventEnvelope => ({
  id,
  type: event.type,
  timestamp: iso(at),
  deviceId,
  data: dataView(event, (messageId, of) => mediaUrl(deviceId, messageId, of)),
});
