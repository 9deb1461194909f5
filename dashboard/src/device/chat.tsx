/** The conversations of a device, live, with a form to send messages. */
import { useState } from 'react';
import { useAccount, useEvents } from '../account.tsx';
import type { Device, Message } from '../api/types.ts';
import { shortTime } from '../format.ts';
import { useLoad } from '../hooks.ts';
import { applyToMessages } from '../apply-events.ts';
import { texts } from '../texts.ts';
import { Await } from '../ui/parts.tsx';
import { Composer } from './composer.tsx';
import { type Conversation, conversationsOf, isWith } from './conversations.ts';
import { MessageLog } from './message-log.tsx';

const words = texts.chat;
const pageSize = 200;

interface Page {
  readonly messages: readonly Message[];
  readonly nextCursor: string | null;
}

const textOf = ({ deletedAt, unavailable, viewOnce, text, type }: Message): string => {
  if (deletedAt !== null) return words.deleted;
  if (unavailable) return words.unavailable[unavailable];
  return text ?? (viewOnce ? words.viewOnce : words.type[type]);
};

const ConversationList = ({
  conversations,
  current,
  choose,
}: {
  readonly conversations: readonly Conversation[];
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
              {textOf(newest)}
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
  page,
  older,
}: {
  readonly device: Device;
  readonly page: Page;
  readonly older: () => Promise<void>;
}) => {
  const conversations = conversationsOf(page.messages);
  const { current, choose } = useChosen(conversations);
  return (
    <div className="chat card">
      <ConversationList conversations={conversations} current={current?.chat ?? null} choose={choose} />
      <div className="conversation">
        <h2 className="conversation-head">{current?.title ?? words.newChat}</h2>
        <MessageLog
          device={device}
          conversation={current}
          {...(page.nextCursor === null ? {} : { older })}
          empty={page.messages.length === 0}
        />
        <Composer device={device} conversation={current} choose={choose} />
      </div>
    </div>
  );
};

export const Chat = ({ device }: { readonly device: Device }) => {
  const { client, generation } = useAccount();
  const path = `/v1/devices/${device.id}/messages?limit=${pageSize}`;
  const page = useLoad(() => client.get<Page>(path), `${device.id}:${generation}`);
  useEvents(device.id, (event) => {
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
  return <Await of={page}>{(value) => <Conversations device={device} page={value} older={older} />}</Await>;
};
