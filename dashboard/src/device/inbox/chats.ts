/** The chats of a device: loaded by pages, newest activity first, and kept current by events. */
import { useAccount, useEvents } from '../../account/account.tsx';
import type { Chat } from '../../api/chat.ts';
import type { Message } from '../../api/message.ts';
import type { HandsetEvent } from '../../api/types.ts';
import { applyToMessages, isRecord, messageIn } from '../../account/apply-to-messages.ts';
import { type Loaded, useDebounced, useLoad } from '../../api/hooks.ts';

export interface ChatPage {
  readonly chats: readonly Chat[];
  readonly nextCursor: string | null;
}

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
  name: null,
  isGroup,
  unread: 0,
  lastMessage: null,
  archived: false,
  pinned: false,
  mutedUntil: null,
  expiresInSeconds: null,
});

/** With a new message, at the top. `isResponse`: the chats may include it already. */
const withMessage = (chats: readonly Chat[], message: Message, isResponse: boolean): readonly Chat[] => {
  const { chat, chatNumber, chatLid, direction, pushName, isGroup } = message;
  const known = chats.find((one) => isSameChat(one, message)) ?? newChat(message);
  const last = known.lastMessage;
  if (last?.id === message.id || (isResponse && last !== null && last.timestamp >= message.timestamp)) return chats;
  const newest = {
    ...known,
    chat,
    chatNumber,
    chatLid,
    name: known.name ?? (direction === 'in' && !isGroup ? pushName : null),
    unread: known.unread + (direction === 'in' ? 1 : 0),
    lastMessage: message,
  };
  return [newest, ...chats.filter((one) => one !== known)];
};

/** `isResponse`: the chats may have been read after the event. */
const applyToChats = (chats: readonly Chat[], event: HandsetEvent, isResponse: boolean): readonly Chat[] => {
  const { type, data } = event;
  const message = messageIn(event);
  if (message !== null) {
    const next = withMessage(chats, message, isResponse);
    // A message written on the phone means that the chat was read there.
    const readOnPhone = type === 'message.sent' && data.source !== 'api';
    return readOnPhone ? next.map((one) => (isSameChat(one, message) ? { ...one, unread: 0 } : one)) : next;
  }
  if (type === 'chat.updated') {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the data of this kind
    const { change, ...addresses } = data as unknown as Addresses & { readonly change: Partial<Chat> };
    return chats.map((one) => (isSameChat(one, addresses) ? { ...one, ...change } : one));
  }
  return chats.map((one) => {
    if (one.lastMessage === null || one.lastMessage.id !== data.messageId) return one;
    const [lastMessage = one.lastMessage] = applyToMessages([one.lastMessage], event);
    return { ...one, lastMessage };
  });
};

const pageSize = 100;
const historyMs = 1000;

export interface Chats {
  readonly page: Loaded<ChatPage>;
  readonly more: () => Promise<void>;
  /** After the account has read a chat. */
  readonly setRead: (chat: string) => void;
  /** Replaces a chat after a change. */
  readonly replace: (chat: Chat) => void;
}

/** `query`: a part of a name or number; empty for all chats. */
export const useChats = (deviceId: number, query: string): Chats => {
  const { client, generation } = useAccount();
  const search = query === '' ? '' : `&q=${encodeURIComponent(query)}`;
  const path = `/v1/devices/${deviceId}/chats?limit=${pageSize}${search}`;
  const page = useLoad(() => client.get<ChatPage>(path), `${generation} ${path}`);
  const reloadSoon = useDebounced(page.reload, historyMs);
  useEvents(deviceId, (event) => {
    // After a pairing the phone hands over chats and messages in many parts.
    if (event.type === 'history.loaded' && event.data.chat === null) reloadSoon();
    // A group is a chat before its first message.
    if (event.type === 'group.joined') reloadSoon();
    // The service knows the current name.
    const { change } = event.data;
    if (event.type === 'contact.updated' && isRecord(change) && 'name' in change) reloadSoon();
    // The service decides which chats match a search.
    if (query !== '') return;
    page.change(({ chats, nextCursor }, isResponse) => ({ chats: applyToChats(chats, event, isResponse), nextCursor }));
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
