/** Conversations: the account's chats, and new ones that begin with an unsent message. */
import type { Chat } from '../../api/chat.ts';
import type { Message } from '../../api/message.ts';
import { phoneNumber } from '../../base/format.ts';
import { addressOf, type Entry } from '../../outbox/entry.ts';
import { texts } from '../../base/texts.ts';

type FromChat =
  | 'chat'
  | 'chatNumber'
  | 'chatLid'
  | 'username'
  | 'isGroup'
  | 'unread'
  | 'archived'
  | 'pinned'
  | 'mutedUntil'
  | 'expiresInSeconds'
  | 'labels';

export interface Conversation extends Pick<Chat, FromChat> {
  readonly title: string;
  /** Null before the first message is sent. */
  readonly newest: Message | null;
  /** Oldest first. */
  readonly unsent: readonly Entry[];
  /** False before the service knows the chat. */
  readonly isKnown: boolean;
}

/** The name, else the number, else the username, else the JID. */
export const titleOf = ({ chat, chatNumber, username, name, isGroup }: Chat): string => {
  if (name !== null) return name;
  if (isGroup) return `${texts.chat.group} ${chat.split('@')[0]}`;
  if (chatNumber !== null) return phoneNumber(chatNumber);
  return username === null ? chat : `@${username}`;
};

/** Matches a chat by its JID, number or LID. */
export const isWith = (
  { chat, chatNumber, chatLid }: Pick<Chat, 'chat' | 'chatNumber' | 'chatLid'>,
  recipient: string,
): boolean => chat === recipient || chatNumber === recipient || chatLid === recipient;

/** The logged message of an entry whose response is still on its way. */
const isCopy = (message: Message, { type, text, at }: Entry): boolean =>
  message.direction === 'out' &&
  message.type === type &&
  message.text === text &&
  Date.parse(message.timestamp) > Date.parse(at) - 2000;

/** Entries that the log does not show yet. */
export const withoutCopies = (entries: readonly Entry[], messages: readonly Message[]): readonly Entry[] =>
  entries.filter((entry) => {
    if (entry.state === 'sent') return !messages.some(({ id }) => id === entry.messageId);
    return entry.state !== 'sending' || !messages.some((message) => isCopy(message, entry));
  });

/** A conversation with a recipient without a chat. */
export const begun = (recipient: string, unsent: readonly Entry[]): Conversation => {
  const number = /^\d+$/.test(recipient) ? recipient : null;
  return {
    chat: recipient,
    chatNumber: number,
    chatLid: null,
    username: null,
    title: number === null ? recipient : phoneNumber(number),
    isGroup: recipient.endsWith('@g.us'),
    unread: 0,
    archived: false,
    pinned: false,
    mutedUntil: null,
    expiresInSeconds: null,
    labels: [],
    newest: null,
    unsent,
    isKnown: false,
  };
};

/** `chats` and the result have the newest activity first, `entries` are oldest first. */
export const conversationsOf = (chats: readonly Chat[], entries: readonly Entry[]): readonly Conversation[] => {
  const unsent = new Map(Map.groupBy(entries, ({ recipient }) => addressOf(recipient)));
  const known = chats.map((one): Conversation => {
    const mine = [...unsent.keys()].filter((recipient) => isWith(one, recipient));
    const waiting = mine.flatMap((recipient) => unsent.get(recipient) ?? []);
    for (const recipient of mine) unsent.delete(recipient);
    const { lastMessage: newest, name: _, ...rest } = one;
    const shown = withoutCopies(waiting, newest === null ? [] : [newest]);
    return { ...rest, newest, title: titleOf(one), unsent: shown, isKnown: true };
  });
  return [...[...unsent].map(([recipient, those]) => begun(recipient, those)), ...known];
};

/** `until` of a mute may be over. */
export const isMuted = ({ mutedUntil }: Pick<Chat, 'mutedUntil'>): boolean =>
  mutedUntil === 'always' || (mutedUntil !== null && Date.parse(mutedUntil) > Date.now());
