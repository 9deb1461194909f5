/** A stored message as callers see it (docs/spec/messages.md, Message log). */
import { Type } from 'typebox';
import { nullableInteger, nullableText, nullable, oneOf, timestamp, nullableTimestamp } from '../../build.ts';
import { messageTypes } from '../../../domain/messages/parts.ts';
import { shownLabels } from './label.ts';
import { parts, PersonSchema } from './parts.ts';
import { unavailableReasons } from '../../../domain/event.ts';

export const MediaSchema = Type.Object(
  {
    mimetype: Type.String(),
    bytes: nullableInteger(),
    sha256: nullableText(),
    fileName: nullableText(),
    voice: Type.Boolean({ description: 'Recorded as a voice message' }),
    gif: Type.Boolean({ description: 'A video that is shown as an animated picture' }),
    note: Type.Boolean({ description: 'A video note, which is shown round' }),
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
  fromUsername: nullableText({ description: 'The username that the sender had then' }),
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
    labels: shownLabels,
    state: oneOf(['pending', 'accepted', 'delivered', 'read', 'failed'], {
      description: '`pending`: handed to the network, which has not accepted it yet',
    }),
    timestamp: timestamp('When it was written'),
    acceptedAt: nullableTimestamp('When the network accepted it'),
    deliveredAt: nullableTimestamp('When it reached the recipient'),
    readAt: nullableTimestamp('When the recipient read it'),
    failedAt: nullableTimestamp('When it failed'),
    deletedAt: nullableTimestamp('When it was deleted, for everyone or on this account'),
    historic: Type.Boolean({
      description: 'Loaded from the history of the phone; it shows up in chats but doesn’t trigger `message.received`',
    }),
    editedAt: nullableTimestamp('When its text was edited last; `text` is the newest one'),
  },
  { title: 'Message' },
);
