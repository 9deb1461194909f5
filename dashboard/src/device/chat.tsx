/** The conversations of a device, live, with a form to send messages. */
import { useEffect, useMemo, useState } from 'react';
import { useAccount, useEvents } from '../account.tsx';
import type { Message } from '../api/message.ts';
import type { Device, Session } from '../api/types.ts';
import { shortTime } from '../format.ts';
import { useLatest, useLoad } from '../hooks.ts';
import { addressOf, type Entry } from '../outbox/entry.ts';
import { useEntries } from '../outbox/use-outbox.ts';
import { applyToMessages } from '../apply-to-messages.ts';
import { texts } from '../texts.ts';
import { Await, Empty } from '../ui/parts.tsx';
import { Boundary } from '../ui/boundary.tsx';
import { Forward } from './actions/forward.tsx';
import { Composer } from './compose/composer.tsx';
import { type Conversation, conversationsOf, isWith } from './conversations.ts';
import { type TimerChange, timerIn } from './log-items.ts';
import { MessageLog } from './message-log.tsx';
import { type NameOf, namesIn, ownIn } from './message/people.ts';
import type { Subject } from './message/shown.ts';
import { summaryOf } from './message/summary.ts';

const words = texts.chat;
const pageSize = 200;

interface Page {
  /** Newest first. */
  readonly messages: readonly Message[];
  readonly nextCursor: string | null;
}

/** The newest message in one line; one that is not sent yet comes first. */
const Newest = ({ of: { newest, unsent }, nameOf }: { readonly of: Conversation; readonly nameOf: NameOf }) => {
  const entry = unsent.at(-1);
  const at = entry?.at ?? newest?.timestamp;
  return (
    <>
      {at !== undefined && <time dateTime={at}>{shortTime(at)}</time>}
      <span className="conversation-text">
        {entry !== undefined && `${texts.outbox.state[entry.state]}: ${entry.text ?? words.type[entry.type]}`}
        {entry === undefined && newest?.direction === 'out' && `${words.you}: `}
        {entry === undefined && newest !== null && summaryOf(newest, nameOf)}
      </span>
    </>
  );
};

const ConversationList = ({
  conversations,
  nameOf,
  current,
  choose,
}: {
  readonly conversations: readonly Conversation[];
  readonly nameOf: NameOf;
  readonly current: string | null;
  readonly choose: (chat: string | null) => void;
}) => (
  <div className="conversations">
    <button type="button" className="new-chat" aria-pressed={current === null} onClick={() => choose(null)}>
      + {words.newChat}
    </button>
    <ul aria-label={words.chats}>
      {conversations.map((one) => (
        <li key={one.chat}>
          <button type="button" aria-pressed={one.chat === current} onClick={() => choose(one.chat)}>
            <span className="conversation-title">{one.title}</span>
            <Newest of={one} nameOf={nameOf} />
          </button>
        </li>
      ))}
    </ul>
  </div>
);

/**
 * The chosen conversation: a JID, the number just written to, or null for a new one. `undefined` until the first one is
 * shown, which then stays: messages from others must not change the recipient of a draft.
 */
const useChosen = (conversations: readonly Conversation[]) => {
  const [chosen, choose] = useState<string | null | undefined>(undefined);
  const newest = conversations[0]?.chat;
  if (chosen === undefined && newest !== undefined) choose(newest);
  const found = chosen == null ? undefined : conversations.find((one) => isWith(one, chosen));
  const current = chosen === undefined ? (conversations[0] ?? null) : (found ?? null);
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

interface ConversationsProps {
  readonly device: Device;
  /** The phone number of the linked account. */
  readonly account: string | null;
  readonly page: Page;
  readonly timers: readonly TimerChange[];
  readonly older: () => Promise<void>;
}

const Conversations = ({ device, account, page: { messages, nextCursor }, timers, older }: ConversationsProps) => {
  const entries = useEntries(device.id);
  const conversations = useMemo(() => conversationsOf(messages, entries), [messages, entries]);
  const nameOf = useMemo(() => namesIn(messages, account), [messages, account]);
  const isOwn = useMemo(() => ownIn(messages, account), [messages, account]);
  const { current, chosen, choose } = useChosen(conversations);
  const [subject, write] = useState<Subject | null>(null);
  const [forwarded, forward] = useState<Message | null>(null);
  useSettled(entries, messages, (from, to) => chosen === from && choose(to));
  return (
    <div className="chat card">
      <ConversationList conversations={conversations} nameOf={nameOf} current={current?.chat ?? null} choose={choose} />
      <div className="conversation">
        <h2 className="conversation-head">{current?.title ?? words.newChat}</h2>
        <MessageLog
          device={device}
          nameOf={nameOf}
          isOwn={isOwn}
          write={write}
          forward={forward}
          conversation={current}
          timers={timers}
          {...(nextCursor === null ? {} : { older })}
          empty={messages.length === 0 && entries.length === 0}
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

export const Chat = ({ device, session }: Props) => {
  const { client, generation } = useAccount();
  const path = `/v1/devices/${device.id}/messages?limit=${pageSize}`;
  const page = useLoad(() => client.get<Page>(path), `${device.id}:${generation}`);
  const [timers, setTimers] = useState<readonly TimerChange[]>([]);
  useEvents(device.id, (event) => {
    const timer = timerIn(event);
    if (timer !== null) setTimers((old) => [...old, timer]);
    page.change((old) => ({ ...old, messages: applyToMessages(old.messages, event) }));
  });
  const older = async (): Promise<void> => {
    const cursor = page.value?.nextCursor;
    if (cursor == null) return;
    const next = await client.get<Page>(`${path}&cursor=${encodeURIComponent(cursor)}`);
    page.change((old) =>
      old.nextCursor === cursor ? { ...next, messages: [...old.messages, ...next.messages] } : old,
    );
  };
  const account = session?.phoneNumber ?? null;
  return (
    <Await of={page}>
      {(value) => (
        <Boundary instead={(again) => <Broken again={again} />}>
          <Conversations device={device} account={account} page={value} timers={timers} older={older} />
        </Boundary>
      )}
    </Await>
  );
};
