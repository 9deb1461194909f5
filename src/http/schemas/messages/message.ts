/** A stored message as callers see it (docs/spec/messages.md, Message log). */
import { Type } from 'typebox';
import { unavailableReasons } from '../../../domain/event.ts';
import { iso, isoOrNull, mediaView, type MediaUrl, timedView } from '../../../domain/event-view.ts';
import { messageTypes, noParts } from '../../../domain/messages/parts.ts';
import type { MessageRecord } from '../../../domain/message.ts';
import { parts, PersonSchema } from './parts.ts';
import { isStarred, type Kept, reactionsIn } from '../../../domain/messages/annotation.ts';
import { nullable, nullableInteger, nullableText, nullableTimestamp, oneOf, timestamp } from '../../wire/build.ts';

export const MediaSchema = Type.Object(
  {
    mimetype: Type.String(),
    bytes: nullableInteger(),
    sha256: nullableText(),
    fileName: nullableText(),
    voice: Type.Boolean({ description: 'Recorded as a voice message' }),
    gif: Type.Boolean({ description: 'A video that is shown as an animated picture' }),
    seconds: nullableInteger(),
    width: nullableInteger(),
    height: nullableInteger(),
    waveform: nullable(
      Type.Array(Type.Integer(), { description: 'Loudness of a voice message over its length, 0 to 100' }),
    ),
    url: Type.String({ description: 'URL of the decrypted media; needs the same bearer key' }),
  },
  { title: 'Media' },
);

/** A person and a chat, in events and in the message log. */
export const addressing = {
  chat: Type.String({
    description: 'JID of the chat: the phone JID of the person if known, else the LID; or the group',
  }),
  chatNumber: nullableText({ description: 'Phone number of the other person; null in a group, or when unknown' }),
  chatLid: nullableText({ description: 'LID of the other person; null in a group, or when unknown' }),
};

export const author = {
  from: Type.String({ description: 'JID of the sender' }),
  fromNumber: nullableText(),
  fromLid: nullableText(),
  pushName: nullableText({ description: 'The name that the sender shows to others' }),
};

export const content = {
  type: oneOf(messageTypes),
  text: nullableText({ description: 'Text or caption' }),
  quotedMessageId: nullableText(),
  media: nullable(MediaSchema),
  ...parts,
  viewOnce: Type.Boolean({ description: 'A view-once message; its media is not served' }),
  unavailable: nullable(
    oneOf(unavailableReasons, {
      description:
        'Why there is no content. `viewOnce`, `hosted`, `bot`: the network withholds view-once messages and those of hosted business accounts and bots. `waiting`: the phone was asked for it. `undecryptable`: every attempt to decrypt it failed',
    }),
  ),
};

export const MessageSchema = Type.Object(
  {
    id: Type.String(),
    direction: oneOf(['in', 'out']),
    ...addressing,
    ...author,
    isGroup: Type.Boolean(),
    ...content,
    reactions: Type.Array(
      Type.Object({ from: PersonSchema, reaction: Type.String(), at: timestamp('When it was given') }),
      { description: 'The newest of each person' },
    ),
    starred: Type.Boolean({ description: 'Has a star on this account' }),
    state: oneOf(['pending', 'accepted', 'delivered', 'read', 'failed'], {
      description: '`pending`: handed to the network, which has not accepted it yet',
    }),
    timestamp: timestamp('When it was written'),
    acceptedAt: nullableTimestamp('When the network accepted it'),
    deliveredAt: nullableTimestamp('When it reached the recipient'),
    readAt: nullableTimestamp('When the recipient read it'),
    failedAt: nullableTimestamp('When it failed'),
    deletedAt: nullableTimestamp('When it was deleted, for everyone or on this account'),
    historic: Type.Boolean({ description: 'Came from the history of the phone, and was never told as received' }),
    editedAt: nullableTimestamp('When its text was edited last; `text` is the newest one'),
  },
  { title: 'Message' },
);

export { iso, isoOrNull };

/** The owner of the message, and where its media is served. */
export interface OfDevice {
  readonly deviceId: number;
  readonly parts: { readonly mediaUrl: MediaUrl };
}

/** Everything except the protocol's own bytes. */
export const messageView = (
  { deviceId, parts: { mediaUrl } }: OfDevice,
  record: MessageRecord,
  annotations: readonly Kept[] = [],
) => ({
  id: record.id,
  direction: record.direction,
  chat: record.chat,
  chatNumber: record.chatNumber,
  chatLid: record.chatLid,
  from: record.from,
  fromNumber: record.fromNumber,
  fromLid: record.fromLid,
  pushName: record.pushName,
  isGroup: record.isGroup,
  type: record.type,
  text: record.text,
  quotedMessageId: record.quotedMessageId,
  media: mediaView(record.media, (id) => mediaUrl(deviceId, id), record.id),
  ...noParts,
  ...record.parts,
  ...timedView({ ...noParts, ...record.parts }),
  viewOnce: record.viewOnce ?? false,
  unavailable: record.unavailable ?? null,
  reactions: reactionsIn(annotations).map(({ from, reaction, at }) => ({ from, reaction, at: iso(at) })),
  starred: isStarred(annotations),
  state: record.state === 'action' ? ('accepted' as const) : record.state,
  timestamp: iso(record.timestamp),
  acceptedAt: isoOrNull(record.acceptedAt),
  deliveredAt: isoOrNull(record.deliveredAt),
  readAt: isoOrNull(record.readAt),
  failedAt: isoOrNull(record.failedAt),
  deletedAt: isoOrNull(record.deletedAt),
  historic: record.historic ?? false,
  editedAt: isoOrNull(record.editedAt ?? null),
});
