/** Chats and contacts as callers see them (docs/spec/chats.md). */
import { members, oneOf, answer, timestamp, nullableText, nullable, nullableInteger } from '../build.ts';
import { typingStates, longestTypingSeconds } from '../../domain/chats/conversation.ts';
import { Type } from 'typebox';
import { shownLabels } from './messages/label.ts';
import { addressing, MessageSchema } from './messages/message.ts';

export const TypingSchema = members(
  {
    state: oneOf(typingStates, {
      description: '`text`: writing; `voice`: recording; `none`: stopped',
      errorMessage: 'must be one of text, voice, none',
    }),
    seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: longestTypingSeconds,
        description: `For how long; ${longestTypingSeconds} if omitted. A send to the chat ends it`,
        errorMessage: `must be a whole number from 1 to ${longestTypingSeconds}`,
      }),
    ),
  },
  { title: 'SetTyping' },
);

export const TypingAnswer = answer({
  typing: Type.Object({ state: oneOf(typingStates), until: timestamp('When it ends by itself') }),
});

export const ReadSchema = members(
  {
    messageIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: 100,
        description: 'Received messages of the chat; all unread ones if omitted',
        errorMessage: 'must be 1 to 100 ids of messages',
      }),
    ),
    typing: Type.Optional(
      oneOf(['text', 'voice'], {
        description:
          'Shows afterwards that the account is writing (`text`) or recording (`voice`), for 25 s or until a send',
        errorMessage: 'must be text or voice',
      }),
    ),
  },
  { title: 'MarkRead' },
);

export const ReadAnswer = answer({
  messageIds: Type.Array(Type.String(), { description: 'The messages that were unread until now' }),
});

export const ChatSchema = Type.Object(
  {
    ...addressing,
    username: nullableText({ description: 'Username of the other person; null in a group, or when unknown' }),
    name: nullableText({
      description:
        'Subject of a group. Of a person the name in the address book of the account, else the one that the person shows; null when none is known',
    }),
    isGroup: Type.Boolean(),
    unread: Type.Integer({
      description:
        'Messages that no device of the account has read; at least 1 in a chat that was marked as unread. A message sent by this API leaves it',
    }),
    lastMessage: nullable(MessageSchema),
    archived: Type.Boolean(),
    pinned: Type.Boolean(),
    mutedUntil: nullableText({ description: 'When the mute ends, or `always`; null: not muted' }),
    expiresInSeconds: nullableInteger({ description: 'Timer of disappearing messages; null: messages stay' }),
    labels: shownLabels,
  },
  { title: 'Chat' },
);

export const ContactSchema = Type.Object(
  {
    jid: Type.String({ description: 'The phone JID if known, else the LID' }),
    number: nullableText(),
    lid: nullableText(),
    username: nullableText({ description: 'Null where it is not known, or was taken away' }),
    name: nullableText({ description: 'In the address book of the account' }),
    pushName: nullableText({ description: 'The name that the person shows to others' }),
    businessName: nullableText(),
    about: nullableText({ description: 'Null until it was looked up' }),
    blocked: Type.Boolean(),
    picture: nullableText({ description: 'Id of the profile picture; null until it was looked up' }),
  },
  { title: 'KnownContact' },
);

const searchText = Type.String({ minLength: 1, maxLength: 100, errorMessage: 'must be 1 to 100 characters' });

export const nameSearch = Type.Unsafe<string>({
  ...searchText,
  description: 'Part of a name, username or number. A page may have fewer items than `limit` though more follow',
});

export const chatParameter = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'A chat: a JID of either address, a group, or the digits of a phone number',
  errorMessage: 'must be 1 to 64 characters: a JID, or the digits of a phone number',
});

const { archived, pinned, mutedUntil, expiresInSeconds, labels } = ChatSchema.properties;

const { jid, number, lid, ...ofContact } = ContactSchema.properties;

const changed = { description: 'Only the members that have changed, as they are now' };

export const conversationEventData = {
  'chat.updated': {
    when: 'A chat was archived, pinned, muted, read or marked as unread, or the reverse, or its timer or its labels were changed',
    data: Type.Object({
      ...addressing,
      change: Type.Partial(
        Type.Object({
          archived,
          pinned,
          mutedUntil,
          unread: Type.Integer({ description: 'Where the chat was read, or marked as unread' }),
          expiresInSeconds,
          labels,
        }),
        changed,
      ),
    }),
  },
  'chat.cleared': {
    when: 'A chat was cleared on the phone, another device of the account or by the API',
    data: Type.Object({
      ...addressing,
      until: timestamp('Messages up to then are gone'),
      starredKept: Type.Boolean({ description: 'Messages with a star stayed' }),
    }),
  },
  'chat.deleted': {
    when: 'A chat was deleted on the phone or another device of the account',
    data: Type.Object({ ...addressing, until: timestamp('Messages up to then are gone') }),
  },
  'contact.updated': {
    when: 'A person’s name, username, about or picture, or whether they are blocked, is another than was known',
    data: Type.Object({ jid, number, lid, change: Type.Partial(Type.Object(ofContact), changed) }),
  },
};
