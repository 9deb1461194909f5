/** The conversations of a device, live, with a form to send messages. */
import { useMemo, useState } from 'react';
import { useAccount, useEvents } from '../account.tsx';
import type { Message } from '../api/message.ts';
import type { Device, Session } from '../api/types.ts';
import { shortTime } from '../format.ts';
import { useLoad } from '../hooks.ts';
import { applyToMessages } from '../apply-to-messages.ts';
import { texts } from '../texts.ts';
import { Await } from '../ui/parts.tsx';
import { Composer } from './composer.tsx';
import { type Conversation, conversationsOf, isWith } from './conversations.ts';
import { type TimerChange, timerIn } from './log-items.ts';
import { MessageLog } from './message-log.tsx';
import { type NameOf, namesIn } from './message/people.ts';
import { summaryOf } from './message/summary.ts';

const words = texts.chat;
const pageSize = 200;

interface Page {
  /** Newest first. */
  readonly messages: readonly Message[];
  readonly nextCursor: string | null;
}

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
      {conversations.map(({ chat, title, newest }) => (
        <li key={chat}>
          <button type="button" aria-pressed={chat === current} onClick={() => choose(chat)}>
            <span className="conversation-title">{title}</span>
            <time dateTime={newest.timestamp}>{shortTime(newest.timestamp)}</time>
            <span className="conversation-text">
              {newest.direction === 'out' && `${words.you}: `}
              {summaryOf(newest, nameOf)}
            </span>
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
  return { current, choose };
};

const Conversations = ({
  device,
  account,
  page,
  timers,
  older,
}: {
  readonly device: Device;
  /** The phone number of the linked account. */
  readonly account: string | null;
  readonly page: Page;
  readonly timers: readonly TimerChange[];
  readonly older: () => Promise<void>;
}) => {
  const conversations = useMemo(() => conversationsOf(page.messages), [page.messages]);
  const nameOf = useMemo(() => namesIn(page.messages, account), [page.messages, account]);
  const { current, choose } = useChosen(conversations);
  return (
    <div className="chat card">
      <ConversationList conversations={conversations} nameOf={nameOf} current={current?.chat ?? null} choose={choose} />
      <div className="conversation">
        <h2 className="conversation-head">{current?.title ?? words.newChat}</h2>
        <MessageLog
          device={device}
          nameOf={nameOf}
          conversation={current}
          timers={timers}
          {...(page.nextCursor === null ? {} : { older })}
          empty={page.messages.length === 0}
        />
        <Composer device={device} conversation={current} choose={choose} />
      </div>
    </div>
  );
};

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
      {(value) => <Conversations device={device} account={account} page={value} timers={timers} older={older} />}
    </Await>
  );
};
