/** The conversations of a device, live: a list, the messages of one of them, and a form to write. */
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useAccount, useEvents } from '../account.tsx';
import type { Chat as ChatOf } from '../api/chat.ts';
import type { Message } from '../api/message.ts';
import type { Device, Session } from '../api/types.ts';
import { useDelayed, useLatest } from '../hooks.ts';
import { addressOf, type Entry } from '../outbox/entry.ts';
import { useEntries } from '../outbox/use-outbox.ts';
import { texts } from '../texts.ts';
import { Boundary } from '../ui/boundary.tsx';
import { Await, Empty } from '../ui/parts.tsx';
import { Forward } from './actions/forward.tsx';
import { Composer } from './compose/composer.tsx';
import { type Conversation, conversationsOf, isWith, withoutCopies } from './conversations.ts';
import { ChatList } from './inbox/chat-list.tsx';
import { type ChatPage, type Chats, useChats } from './inbox/chats.ts';
import { Header } from './inbox/header.tsx';
import { useMessages } from './inbox/messages.ts';
import { useReadMarks } from './inbox/read-marks.ts';
import { type TimerChange, timerIn } from './log-items.ts';
import { MessageLog } from './message-log.tsx';
import { namesIn, ownIn } from './message/people.ts';
import type { Subject } from './message/shown.ts';

const words = texts.chat;

/**
 * The chosen conversation: a JID, the number just written to, or null for a new one. `undefined` until the first one is
 * shown, which then stays: messages from others must not change the recipient of a draft.
 */
const useChosen = (conversations: readonly Conversation[]) => {
  const [chosen, choose] = useState<string | null | undefined>(undefined);
  /** Stays on display while a search does not find it. */
  const [last, setLast] = useState<Conversation | null>(null);
  const newest = conversations[0]?.chat;
  if (chosen === undefined && newest !== undefined) choose(newest);
  const found = chosen == null ? undefined : conversations.find((one) => isWith(one, chosen));
  if (found !== undefined && found !== last) setLast(found);
  const kept = chosen != null && last !== null && isWith(last, chosen) ? last : null;
  const current = chosen === undefined ? (conversations[0] ?? null) : (found ?? kept);
  return { current, chosen, choose };
};

/** Forgets sent messages once the log has them, and stays in their conversation, whose address may be another one. */
const useSettled = (
  entries: readonly Entry[],
  messages: readonly Message[],
  moved: (from: string, to: string) => void,
): void => {
  const { outbox } = useAccount();
  const settle = useLatest(() => {
    for (const { key, messageId, recipient } of entries) {
      const message = messageId === null ? undefined : messages.find(({ id }) => id === messageId);
      if (message === undefined) continue;
      moved(addressOf(recipient), message.chat);
      outbox.drop(key);
    }
  });
  useEffect(settle, [settle, entries, messages]);
};

const useTimers = (device: Device): readonly TimerChange[] => {
  const [timers, setTimers] = useState<readonly TimerChange[]>([]);
  useEvents(device.id, (event) => {
    const timer = timerIn(event);
    if (timer !== null) setTimers((old) => [...old, timer]);
  });
  return timers;
};

/** The names of everybody whom the loaded messages and chats name. */
const usePeople = (messages: readonly Message[], chats: readonly ChatOf[], account: string | null) => {
  const newest = useMemo(() => chats.flatMap(({ lastMessage }) => lastMessage ?? []), [chats]);
  const all = useMemo(() => [...messages, ...newest], [messages, newest]);
  const nameOf = useMemo(() => namesIn(all, account, chats), [all, account, chats]);
  const isOwn = useMemo(() => ownIn(all, account), [all, account]);
  return { all, nameOf, isOwn };
};

interface InboxProps {
  readonly device: Device;
  /** The phone number of the linked account. */
  readonly account: string | null;
  readonly page: ChatPage;
  readonly list: Chats;
  readonly query: string;
  readonly search: (query: string) => void;
}

const Inbox = ({ device, account, page: { chats, nextCursor }, list, query, search }: InboxProps): ReactNode => {
  const entries = useEntries(device.id);
  const timers = useTimers(device);
  const conversations = useMemo(() => conversationsOf(chats, entries), [chats, entries]);
  const { current, chosen, choose } = useChosen(conversations);
  const { messages, state, older, change } = useMessages(device.id, current);
  const { all, nameOf, isOwn } = usePeople(messages, chats, account);
  const [subject, write] = useState<Subject | null>(null);
  const [forwarded, forward] = useState<Message | null>(null);
  useSettled(entries, all, (from, to) => chosen === from && choose(to));
  useReadMarks(device, current, list.setRead);
  return (
    <div className="chat card">
      <ChatList
        conversations={conversations}
        nameOf={nameOf}
        current={current?.chat ?? null}
        choose={choose}
        query={query}
        search={search}
        more={nextCursor === null ? null : list.more}
      />
      <div className="conversation">
        <Header device={device} conversation={current} nameOf={nameOf} />
        <MessageLog
          device={device}
          nameOf={nameOf}
          isOwn={isOwn}
          write={write}
          forward={forward}
          change={change}
          chat={current?.chat ?? null}
          messages={messages}
          unsent={withoutCopies(current?.unsent ?? [], messages)}
          timers={timers}
          older={older}
          state={state}
          empty={conversations.length === 0 && query === ''}
        />
        <Composer
          device={device}
          conversation={current}
          choose={choose}
          nameOf={nameOf}
          subject={subject?.message.chat === current?.chat ? subject : null}
          leaveSubject={() => write(null)}
        />
      </div>
      {forwarded !== null && (
        <Forward
          device={device}
          message={forwarded}
          conversations={conversations}
          choose={choose}
          close={() => forward(null)}
        />
      )}
    </div>
  );
};

const Broken = ({ again }: { readonly again: () => void }) => (
  <Empty title={words.broken}>
    <button type="button" onClick={again}>
      {texts.retry}
    </button>
  </Empty>
);

interface Props {
  readonly device: Device;
  readonly session: Session | null;
}

const searchMs = 300;

export const Chat = ({ device, session }: Props) => {
  const [query, search] = useState('');
  const list = useChats(device.id, useDelayed(query.trim(), searchMs));
  const account = session?.phoneNumber ?? null;
  return (
    <Await of={list.page}>
      {(page) => (
        <Boundary instead={(again) => <Broken again={again} />}>
          <Inbox device={device} account={account} page={page} list={list} query={query} search={search} />
        </Boundary>
      )}
    </Await>
  );
};
