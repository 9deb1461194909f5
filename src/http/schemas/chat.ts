/** Chats and contacts as callers see them (docs/spec/chats.md). */
import { Type } from 'typebox';
import { longestTypingSeconds, typingStates } from '../../domain/chats/conversation.ts';
import { answer, members, oneOf, timestamp, nullable, nullableInteger, nullableText } from '../wire/build.ts';
import { parseChat } from '../../domain/chats/address.ts';
import type { Jid } from '../../domain/jid.ts';
import { type Kept, shownKinds } from '../../domain/messages/annotation.ts';
import type { MessageStore } from '../../domain/stores.ts';
import type { Chat, MutedUntil } from '../../domain/chats/chat.ts';
import type { Contact } from '../../domain/chats/contact.ts';
import { addressing, iso, MessageSchema, messageView, type OfDevice } from './messages/message.ts';

export const TypingSchema = members(
  {
    state: oneOf(typingStates, {
      description: '`text`: writing, `voice`: recording, `none`: neither any more',
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
  },
  { title: 'Chat' },
);

export const ContactSchema = Type.Object(
  {
    jid: Type.String({ description: 'The phone JID if known, else the LID' }),
    number: nullableText(),
    lid: nullableText(),
    name: nullableText({ description: 'In the address book of the account' }),
    pushName: nullableText({ description: 'The name that the person shows to others' }),
    businessName: nullableText(),
    about: nullableText({ description: 'Null until it was looked up' }),
    blocked: Type.Boolean(),
    picture: nullableText({ description: 'Id of the profile picture; null until it was looked up' }),
  },
  { title: 'KnownContact' },
);

const untilView = (until: MutedUntil): string | null => (typeof until === 'number' ? iso(until) : until);

/** `kept`: annotations of the newest message. */
const chatView = (of: OfDevice, chat: Chat, kept: readonly Kept[] = []) => ({
  chat: chat.chat,
  chatNumber: chat.chatNumber,
  chatLid: chat.chatLid,
  name: chat.name,
  isGroup: chat.isGroup,
  unread: chat.unread,
  lastMessage: chat.lastMessage === null ? null : messageView(of, chat.lastMessage, kept),
  archived: chat.archived,
  pinned: chat.pinned,
  mutedUntil: untilView(chat.mutedUntil),
  expiresInSeconds: chat.expiresInSeconds,
});

export const chatViews = async (
  of: OfDevice & { readonly parts: { readonly stores: { readonly messages: Pick<MessageStore, 'annotations'> } } },
  chats: readonly Chat[],
): Promise<ReturnType<typeof chatView>[]> => {
  const newest = chats.flatMap(({ lastMessage }) => (lastMessage === null ? [] : [lastMessage]));
  const kept = await of.parts.stores.messages.annotations(of.deviceId, newest, shownKinds);
  const byMessage = new Map(newest.map((message, index) => [message, kept[index]]));
  return chats.map((chat) => chatView(of, chat, chat.lastMessage === null ? [] : byMessage.get(chat.lastMessage)));
};

export const contactView = (contact: Contact) => ({ ...contact });

const searchText = Type.String({ minLength: 1, maxLength: 100, errorMessage: 'must be 1 to 100 characters' });

export const nameSearch = Type.Unsafe<string>({
  ...searchText,
  description: 'Part of a name or number. A page may have fewer items than `limit` though more follow',
});

export const flagParameter = (description: string) =>
  Type.Unsafe<'true' | 'false'>({
    type: 'string',
    enum: ['true', 'false'],
    description,
    errorMessage: 'must be true or false',
  });

export const chatParameter = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'A chat: a JID of either address, a group, or the digits of a phone number',
  errorMessage: 'must be 1 to 64 characters: a JID, or the digits of a phone number',
});

/** Throws InvalidRequest. */
export const chatIn = ({ chat }: { readonly chat?: string | undefined }): Jid | undefined =>
  chat === undefined ? undefined : parseChat(chat);

const { archived, pinned, mutedUntil, expiresInSeconds } = ChatSchema.properties;
const { jid, number, lid, ...ofContact } = ContactSchema.properties;

const changed = { description: 'Only the members that have changed, as they are now' };

/** Data of the events of chats and contacts (docs/spec/events.md, Event kinds). */
export const conversationEventData = {
  'chat.updated': {
    when: 'A chat was archived, pinned, muted, read or marked as unread, or the reverse, or its timer was changed',
    data: Type.Object({
      ...addressing,
      change: Type.Partial(
        Type.Object({
          archived,
          pinned,
          mutedUntil,
          unread: Type.Integer({ description: 'Where the chat was read, or marked as unread' }),
          expiresInSeconds,
        }),
        changed,
      ),
    }),
  },
  'contact.updated': {
    when: 'A person’s name, about or picture, or whether they are blocked, is another than was known',
    data: Type.Object({ jid, number, lid, change: Type.Partial(Type.Object(ofContact), changed) }),
  },
};
