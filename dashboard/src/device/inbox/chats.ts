/** The chats of a device: loaded by pages, newest activity first, and kept current by events. */
import { useAccount, useEvents } from '../../account/account.tsx';
import { paths } from '../../api/ahead.ts';
import type { Chat } from '../../api/chat.ts';
import type { Answer } from '../../api/schemas.ts';
import type { Message } from '../../api/message.ts';
import type { HandsetEvent } from '../../api/types.ts';
import { applyToMessages, messageIn } from '../../account/apply-to-messages.ts';
import { type Loaded, useDebounced, useLoad } from '../../api/hooks.ts';

export type ChatPage = Answer<'listChats'>;

type Addresses = Pick<Chat, 'chat' | 'chatNumber' | 'chatLid'>;

/** A person can be known by a phone number, by a LID or by both. */
export const isSameChat = (one: Addresses, other: Addresses): boolean =>
  one.chat === other.chat ||
  (one.chatLid !== null && one.chatLid === other.chatLid) ||
  (one.chatNumber !== null && one.chatNumber === other.chatNumber);

const newChat = ({ chat, chatNumber, chatLid, isGroup }: Message): Chat => ({
  chat,
  chatNumber,
  chatLid,
  username: null,
  name: null,
  isGroup,
  unread: 0,
  lastMessage: null,
  archived: false,
  pinned: false,
  mutedUntil: null,
  expiresInSeconds: null,
  labels: [],
});

/** With a new message, at the top. `isResponse`: the chats may include it already. */
const withMessage = (chats: readonly Chat[], message: Message, isResponse: boolean): readonly Chat[] => {
  const { chat, chatNumber, chatLid, direction, pushName, fromUsername, isGroup } = message;
  const known = chats.find((one) => isSameChat(one, message)) ?? newChat(message);
  const last = known.lastMessage;
  if (last?.id === message.id || (isResponse && last !== null && last.timestamp >= message.timestamp)) return chats;
  const newest = {
    ...known,
    chat,
    chatNumber,
    chatLid,
    username: direction === 'in' && !isGroup && fromUsername !== null ? fromUsername : known.username,
    name: known.name ?? (direction === 'in' && !isGroup ? pushName : null),
    unread: known.unread + (direction === 'in' ? 1 : 0),
    lastMessage: message,
  };
  return [newest, ...chats.filter((one) => one !== known)];
};

/** `isResponse`: the chats may have been read after the event. */
const applyToChats = (chats: readonly Chat[], event: HandsetEvent, isResponse: boolean): readonly Chat[] => {
  const message = messageIn(event);
  if (message !== null) {
    const next = withMessage(chats, message, isResponse);
    // A message written on the phone means that the chat was read there.
    const readOnPhone = event.type === 'message.sent' && event.data.source !== 'api';
    return readOnPhone ? next.map((one) => (isSameChat(one, message) ? { ...one, unread: 0 } : one)) : next;
  }
  if (event.type === 'chat.updated') {
    const { change, ...addresses } = event.data;
    return chats.map((one) => (isSameChat(one, addresses) ? { ...one, ...change } : one));
  }
  if (event.type === 'chat.deleted') return chats.filter((one) => !isSameChat(one, event.data));
  if (event.type !== 'message.updated' && event.type !== 'message.deleted') return chats;
  return chats.map((one) => {
    if (one.lastMessage === null || one.lastMessage.id !== event.data.messageId) return one;
    const [lastMessage = one.lastMessage] = applyToMessages([one.lastMessage], event);
    return { ...one, lastMessage };
  });
};

const historyMs = 1000;
/** While the phone hands over many chats, the first ones are shown already. */
const maxHistoryMs = 4000;

export interface Chats {
  readonly page: Loaded<ChatPage>;
  readonly more: () => Promise<void>;
  /** After the account has read a chat. */
  readonly setRead: (chat: string) => void;
  /** Replaces a chat after a change. */
  readonly replace: (chat: Chat) => void;
}

/** `query`: a part of a name or number; empty for all chats. `label`: only chats with this label; null for all. */
export const useChats = (deviceId: number, query: string, label: string | null): Chats => {
  const { client, generation } = useAccount();
  const search = query === '' ? '' : `&q=${encodeURIComponent(query)}`;
  const labelled = label === null ? '' : `&label=${encodeURIComponent(label)}`;
  const path = paths.chats(deviceId) + search + labelled;
  const page = useLoad(() => client.get<ChatPage>(path), `${generation} ${path}`);
  const reloadSoon = useDebounced(page.reload, historyMs, maxHistoryMs);
  useEvents(deviceId, (event) => {
    // After a pairing the phone hands over chats and messages in many parts.
    if (event.type === 'history.loaded' && event.data.chat === null) reloadSoon();
    // A group is a chat before its first message.
    if (event.type === 'group.joined') reloadSoon();
    // The service knows which messages are left.
    if (event.type === 'chat.cleared') reloadSoon();
    // The service knows the current name.
    if (event.type === 'contact.updated' && ('name' in event.data.change || 'username' in event.data.change))
      reloadSoon();
    if (label !== null && event.type === 'chat.updated' && event.data.change.labels?.includes(label) === true)
      reloadSoon();
    // The service decides which chats match a search.
    if (query !== '') return;
    const isShown = ({ labels }: Chat): boolean => label === null || labels.includes(label);
    page.change(({ chats, nextCursor }, isResponse) => ({
      chats: applyToChats(chats, event, isResponse).filter(isShown),
      nextCursor,
    }));
  });
  const more = async (): Promise<void> => {
    const cursor = page.value?.nextCursor;
    if (cursor == null) return;
    const next = await client.get<ChatPage>(`${path}&cursor=${encodeURIComponent(cursor)}`);
    page.change(({ chats, nextCursor }) => {
      if (nextCursor !== cursor) return { chats, nextCursor };
      const added = next.chats.filter((one) => !chats.some((known) => isSameChat(known, one)));
      return { chats: [...chats, ...added], nextCursor: next.nextCursor };
    });
  };
  const setRead = (chat: string): void =>
    page.change(({ chats, nextCursor }) => ({
      chats: chats.map((one) => (one.chat === chat ? { ...one, unread: 0 } : one)),
      nextCursor,
    }));
  const replace = (chat: Chat): void =>
    page.change(({ chats, nextCursor }) => ({
      chats: chats.map((one) => (isSameChat(one, chat) ? chat : one)),
      nextCursor,
    }));
  return { page, more, setRead, replace };
};
