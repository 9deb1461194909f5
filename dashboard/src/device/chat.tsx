/** The conversations of a device, live: a list, the messages of one of them, and a form to write. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { May, useAccount, useEntries, useEvents } from '../account/account.tsx';
import type { Chat as ChatOf } from '../api/chat.ts';
import type { Message } from '../api/message.ts';
import type { Device, Session } from '../api/types.ts';
import { useDelayed, useLatest } from '../api/hooks.ts';
import { addressOf, type Entry } from '../outbox/entry.ts';
import { texts } from '../base/texts.ts';
import { useGroupedNumbers } from '../base/use-grouped-numbers.ts';
import { Boundary } from '../ui/boundary.tsx';
import { Await, Empty } from '../ui/parts.tsx';
import { Forward } from './actions/forward.tsx';
import { Composer } from './compose/composer.tsx';
import { type Conversation, conversationsOf, withoutCopies } from './shown/conversations.ts';
import { type GroupState, useGroup } from './groups/use-group.ts';
import { useSubjects } from './groups/use-subjects.ts';
import { ChatList } from './inbox/chat-list.tsx';
import { type ChatPage, type Chats, useChats } from './inbox/chats.ts';
import { type Chosen, useChosen } from './inbox/chosen.ts';
import { useFromPhone } from './inbox/from-phone.tsx';
import { Header } from './inbox/header.tsx';
import { type Goal, type Messages, useMessages } from './inbox/messages.ts';
import { useReadMarks } from './inbox/read-marks.ts';
import { type TimerChange, timerIn } from './log-items.ts';
import { MessageLog } from './message-log.tsx';
import { authorOf, type NameOf, namesIn, ownIn } from './shown/people.ts';
import { LabelsContext, useDeviceLabels } from './shown/labels.tsx';
import type { Subject } from './shown/shown.ts';

const words = texts.chat;

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
  const grouped = useGroupedNumbers();
  const nameOf = useMemo(() => namesIn(all, account, chats), [all, account, chats, grouped]);
  const isOwn = useMemo(() => ownIn(all, account), [all, account]);
  return { all, nameOf, isOwn };
};

/** The titles of chats, also of those that a search does not find. */
const useTitles = (conversations: readonly Conversation[], nameOf: NameOf) => {
  const titles = useRef(new Map<string, string>());
  for (const { chat, title } of conversations) titles.current.set(chat, title);
  return (message: Message): string => {
    const { chat, chatNumber, chatLid, isGroup, direction } = message;
    const person =
      direction === 'in' ? authorOf(message) : { jid: chat, number: chatNumber, lid: chatLid, username: null };
    return titles.current.get(chat) ?? (isGroup ? words.group : nameOf(person));
  };
};

interface InboxProps {
  readonly device: Device;
  /** The phone number of the linked account. */
  readonly account: string | null;
  readonly page: ChatPage;
  readonly list: Chats;
  readonly query: string;
  readonly searched: string;
  readonly search: (query: string) => void;
  readonly label: string | null;
  readonly chooseLabel: (label: string | null) => void;
}

/** Beside the list, until a conversation is chosen. */
const Nothing = ({ start }: { readonly start: () => void }) => (
  <div className="conversation nothing">
    <Empty title={words.choose}>
      <p>{words.chooseHint}</p>
      <May act="send">
        <button type="button" onClick={start}>
          {words.newChat}
        </button>
      </May>
    </Empty>
  </div>
);

/** The chat of a group may not know its subject, and one in which nobody has written yet is none. */
const withSubject = (conversation: Conversation | null, group: GroupState): Conversation | null =>
  conversation === null || group === null || group === 'left'
    ? conversation
    : { ...conversation, title: group.group.subject };

interface OpenProps extends Pick<InboxProps, 'device' | 'list'> {
  readonly chosen: Chosen;
  readonly people: ReturnType<typeof usePeople>;
  readonly loaded: Messages;
  readonly goal: Goal | null;
  readonly leaveGoal: () => void;
  readonly forward: (message: Message) => void;
  /** A draft stays while nothing is chosen. */
  readonly hidden: boolean;
  readonly isEmpty: boolean;
}

const OpenConversation = ({ device, list, people, loaded, goal, leaveGoal, forward, hidden, ...rest }: OpenProps) => {
  const { choose } = rest.chosen;
  const { nameOf, isOwn } = people;
  const group = useGroup(device, rest.chosen.current?.isGroup === true ? rest.chosen.current.chat : null, isOwn);
  const current = withSubject(rest.chosen.current, group);
  const { messages, state, older, change, isOld } = loaded;
  const timers = useTimers(device);
  const fromPhone = useFromPhone(device, current, loaded);
  const [subject, write] = useState<Subject | null>(null);
  const [corrected, correct] = useState<Entry | null>(null);
  return (
    <div className="conversation" hidden={hidden}>
      <Header
        device={device}
        conversation={current}
        nameOf={nameOf}
        isOwn={isOwn}
        group={group}
        replace={list.replace}
        leave={() => choose(undefined)}
      />
      <MessageLog
        device={device}
        nameOf={nameOf}
        isOwn={isOwn}
        isAdmin={group !== null && group !== 'left' && group.isAdmin}
        write={write}
        correct={correct}
        forward={forward}
        change={change}
        chat={current?.chat ?? null}
        messages={messages}
        unsent={withoutCopies(current?.unsent ?? [], messages)}
        timers={timers}
        older={older}
        fromPhone={fromPhone}
        goal={goal}
        toNewest={isOld ? leaveGoal : null}
        state={state}
        empty={rest.isEmpty}
      />
      <May act="send">
        <Composer
          device={device}
          conversation={current}
          choose={choose}
          group={group}
          nameOf={nameOf}
          subject={subject?.message.chat === current?.chat ? subject : null}
          leaveSubject={() => write(null)}
          corrected={corrected}
        />
      </May>
    </div>
  );
};

const Inbox = ({ device, account, page: { chats, nextCursor }, list, query, ...rest }: InboxProps) => {
  const entries = useEntries(device.id);
  const named = useSubjects(device, chats);
  const grouped = useGroupedNumbers();
  const conversations = useMemo(() => conversationsOf(named, entries), [named, entries, grouped]);
  const chosen = useChosen(
    device,
    conversations,
    nextCursor === null && query === '' && rest.searched === '' && rest.label === null,
  );
  const { current, choose } = chosen;
  const [goal, setGoal] = useState<Goal | null>(null);
  const loaded = useMessages(device.id, current, goal);
  const people = usePeople(loaded.messages, chats, account);
  const titleOf = useTitles(conversations, people.nameOf);
  const [forwarded, forward] = useState<Message | null>(null);
  useSettled(entries, people.all, (from, to) => chosen.chosen === from && choose(to, true));
  useReadMarks(device, current, list.setRead);
  const isEmpty = conversations.length === 0 && query === '' && rest.label === null;
  // Without any conversation, the only choice is to start one.
  const isOpen = chosen.chosen !== undefined || isEmpty;
  const open = ({ chat, id, timestamp }: Message): void => {
    setGoal({ chat, id, timestamp });
    choose(chat);
  };
  return (
    <div className={`chat card ${isOpen ? 'open' : ''} ${chosen.chosen === undefined ? '' : 'filled'}`}>
      <ChatList
        {...rest}
        device={device}
        conversations={conversations}
        nameOf={people.nameOf}
        current={current?.chat ?? null}
        choose={(choice) => {
          setGoal(null);
          choose(choice);
        }}
        query={query}
        more={nextCursor === null ? null : list.more}
        titleOf={titleOf}
        open={open}
        isNew={isOpen && current === null}
      />
      {!isOpen && <Nothing start={() => choose(null)} />}
      <OpenConversation
        {...{ device, list, chosen, people, loaded, goal, forward, isEmpty }}
        leaveGoal={() => setGoal(null)}
        hidden={!isOpen}
      />
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
  const searched = useDelayed(query.trim(), searchMs);
  const [label, chooseLabel] = useState<string | null>(null);
  const labels = useDeviceLabels(device.id);
  // One that is deleted filters no longer.
  const shownLabel = labels.labels.some(({ id }) => id === label) ? label : null;
  const list = useChats(device.id, searched, shownLabel);
  const account = session?.phoneNumber ?? null;
  return (
    <LabelsContext value={labels}>
      <Await of={list.page}>
        {(page) =>
          device.status === 'qr' && page.chats.length === 0 ? (
            <Empty title={words.unlinked}>
              <p>{words.unlinkedHint}</p>
            </Empty>
          ) : (
            <Boundary instead={(again) => <Broken again={again} />}>
              <Inbox
                device={device}
                account={account}
                page={page}
                list={list}
                query={query}
                searched={searched}
                search={search}
                label={shownLabel}
                chooseLabel={chooseLabel}
              />
            </Boundary>
          )
        }
      </Await>
    </LabelsContext>
  );
};
