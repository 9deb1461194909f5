/** The messages of one chat: the newest page or those around a found one, older ones on demand, kept current by events. */
import { useAccount, useEvents } from '../../account/account.tsx';
import { paths } from '../../api/ahead.ts';
import type { Message } from '../../api/message.ts';
import type { Answer } from '../../api/schemas.ts';
import { applyToMessages, messageIn } from '../../account/apply-to-messages.ts';
import { useDebounced, useLoad } from '../../api/hooks.ts';
import { texts } from '../../base/texts.ts';
import type { Conversation } from '../shown/conversations.ts';
import { isSameChat } from './chats.ts';

/** Newest first. */
type MessagePage = Pick<Answer<'listMessages'>, 'messages' | 'nextCursor'>;

interface ShownPage extends MessagePage {
  readonly chat: string;
  /** The filter under which `nextCursor` goes on. */
  readonly filter: string;
  /** Whether messages newer than these were left out. */
  readonly isOld: boolean;
}

/** A found message to show with those around it. */
export interface Goal {
  readonly chat: string;
  readonly id: string;
  readonly timestamp: string;
}

/** Maximum number of newer messages loaded with a found one. */
const maxNewer = 1000;
const historyMs = 1000;
const maxHistoryMs = 4000;

const none: readonly Message[] = [];

const withOlder = (messages: readonly Message[], older: readonly Message[]): readonly Message[] => [
  ...messages,
  ...older.filter(({ id }) => !messages.some((known) => known.id === id)),
];

const upTo = (timestamp: string): string => `&until=${encodeURIComponent(timestamp)}`;

export interface Messages {
  /** Newest first. */
  readonly messages: readonly Message[];
  /** Why there are none yet; null once they are loaded. */
  readonly state: string | null;
  /** Null when there are no older ones. */
  readonly older: (() => Promise<void>) | null;
  /** Loads messages that were added before the oldest one. */
  readonly earlier: () => Promise<void>;
  readonly isOld: boolean;
  /** Applies a change that no event reports. */
  readonly change: (messageId: string, change: Partial<Message>) => void;
}

const usePages = (deviceId: number, chat: string, goal: Goal | null) => {
  const { client } = useAccount();
  const read = (filter: string, limit?: number): Promise<MessagePage> =>
    client.get<MessagePage>(paths.messages(deviceId, encodeURIComponent(chat), limit) + filter);
  const newest = async (): Promise<ShownPage> => ({ ...(await read('')), chat, filter: '', isOld: false });
  const around = async ({ timestamp }: Goal): Promise<ShownPage> => {
    const filter = upTo(timestamp);
    const since = `&since=${encodeURIComponent(timestamp)}`;
    const [later, earlier] = await Promise.all([read(since, maxNewer), read(filter)]);
    // More would leave a gap between the two pages.
    const isOld = later.nextCursor !== null;
    const messages = isOld ? earlier.messages : withOlder(later.messages, earlier.messages);
    return { messages, nextCursor: earlier.nextCursor, chat, filter, isOld };
  };
  return { read, first: () => (goal === null ? newest() : around(goal)) };
};

/** `found`: shown instead of the newest ones if it is in this chat. */
export const useMessages = (deviceId: number, conversation: Conversation | null, found: Goal | null): Messages => {
  const { generation } = useAccount();
  const known = conversation?.isKnown === true ? conversation : null;
  const chat = known?.chat ?? '';
  const goal = found?.chat === chat ? found : null;
  const { read, first } = usePages(deviceId, chat, goal);
  const key = `${generation} ${deviceId} ${chat} ${goal?.id ?? ''}`;
  const loaded = useLoad(first, known === null ? null : key);
  // Until the chat is loaded, the value is that of the previous one.
  const page = loaded.value?.chat === chat ? loaded.value : null;
  const reloadSoon = useDebounced(loaded.reload, historyMs, maxHistoryMs);
  useEvents(deviceId, (event) => {
    if (event.type === 'history.loaded' && event.data.chat === null) reloadSoon();
    if (event.type === 'chat.cleared' || event.type === 'chat.deleted') {
      if (known !== null && isSameChat(known, event.data)) loaded.reload();
      return;
    }
    const message = messageIn(event);
    if (known === null || (message !== null && !isSameChat(known, message))) return;
    loaded.change((old) => {
      if (old.chat !== chat || (message !== null && old.isOld)) return old;
      return { ...old, messages: applyToMessages(old.messages, event) };
    });
  });
  const add = (next: MessagePage, cursor: string | null, filter: string): void =>
    loaded.change((old) =>
      old.chat === chat && old.nextCursor === cursor
        ? { ...old, ...next, filter, messages: withOlder(old.messages, next.messages) }
        : old,
    );
  const { nextCursor: cursor = null, filter = '', messages = none, isOld = false } = page ?? {};
  const older = async (): Promise<void> =>
    add(await read(`${filter}&cursor=${encodeURIComponent(cursor ?? '')}`), cursor, filter);
  const earlier = async (): Promise<void> => {
    const oldest = messages.at(-1);
    const next = oldest === undefined ? '' : upTo(oldest.timestamp);
    add(await read(next), null, next);
  };
  const change = (messageId: string, changes: Partial<Message>): void =>
    loaded.change((old) => ({
      ...old,
      messages: old.messages.map((one) => (one.id === messageId ? { ...one, ...changes } : one)),
    }));
  const state = known === null || page !== null ? null : (loaded.error ?? texts.loading);
  return { messages, state, older: cursor === null ? null : older, earlier, isOld, change };
};
