/** The messages of a conversation, oldest first, with their delivery state. */
import { useEffect, useRef, useState } from 'react';
import { useAccount } from '../account.tsx';
import type { Device, Message } from '../api/types.ts';
import { clockTime, dayOf, fullTime } from '../format.ts';
import { texts } from '../texts.ts';
import { icons, Ticks } from '../ui/icons.tsx';
import { Action, Empty } from '../ui/parts.tsx';
import type { Conversation } from './conversations.ts';

const words = texts.chat;

/** Loads an image only on request, since each one counts against the rate limit. */
const Picture = ({ device, message }: { readonly device: Device; readonly message: Message }) => {
  const { client } = useAccount();
  const [url, setUrl] = useState<string | null>(null);
  useEffect(
    () => () => {
      if (url !== null) URL.revokeObjectURL(url);
    },
    [url],
  );
  const load = async (): Promise<void> => {
    const answer = await client.raw(`/v1/devices/${device.id}/messages/${encodeURIComponent(message.id)}/media`);
    setUrl(URL.createObjectURL(await answer.blob()));
  };
  if (url !== null) return <img src={url} alt={message.text ?? words.image(message.pushName ?? words.you)} />;
  return (
    <Action className="picture" act={load}>
      {icons.image}
      {words.loadImage}
    </Action>
  );
};

const Body = ({ device, message }: { readonly device: Device; readonly message: Message }) => {
  if (message.deletedAt !== null) return <p className="gone">{words.deleted}</p>;
  if (message.unavailable) return <p className="gone">{words.unavailable[message.unavailable]}</p>;
  const isPicture = message.type === 'image' || message.type === 'sticker';
  return (
    <>
      {message.viewOnce && <p className="gone">{words.viewOnce}</p>}
      {isPicture && message.media !== null && !message.viewOnce && <Picture device={device} message={message} />}
      {!isPicture && message.type !== 'text' && <p className="kind">{words.type[message.type]}</p>}
      {message.text !== null && <p>{message.text}</p>}
    </>
  );
};

const Bubble = ({ device, message }: { readonly device: Device; readonly message: Message }) => (
  <li className={`bubble ${message.direction}`} data-state={message.state}>
    {message.isGroup && message.direction === 'in' && <strong className="author">{message.pushName}</strong>}
    <Body device={device} message={message} />
    <span className="bubble-foot">
      <time dateTime={message.timestamp} title={fullTime(message.timestamp)}>
        {clockTime(message.timestamp)}
      </time>
      {message.direction === 'out' && <Ticks state={message.state} label={words.state[message.state]} />}
    </span>
  </li>
);

/** Whether a date separator goes before the message. */
const isNewDay = (messages: readonly Message[], index: number): boolean => {
  const [before, now] = [messages[index - 1], messages[index]];
  return now !== undefined && before?.timestamp.slice(0, 10) !== now.timestamp.slice(0, 10);
};

interface Props {
  readonly device: Device;
  readonly conversation: Conversation | null;
  /** Whether the device has no messages at all. */
  readonly empty: boolean;
  readonly older?: () => Promise<void>;
}

export const MessageLog = ({ device, conversation, empty, older }: Props) => {
  const element = useRef<HTMLDivElement>(null);
  /** Whether the newest message is in view. */
  const atEnd = useRef(true);
  const toEnd = (): void => element.current?.scrollTo(0, element.current.scrollHeight);
  const messages = conversation?.messages ?? [];
  const last = messages.at(-1)?.id;
  useEffect(() => {
    toEnd();
  }, [last, conversation?.chat]);
  return (
    <div
      className="log"
      ref={element}
      role="log"
      aria-label={words.log}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
      // A loaded image must not push the newest message out of view.
      onLoadCapture={() => atEnd.current && toEnd()}
    >
      {older !== undefined && (
        <Action className="quiet" act={older}>
          {words.older}
        </Action>
      )}
      {empty && (
        <Empty title={words.none}>
          <p>{words.noneHint}</p>
        </Empty>
      )}
      <ol className="bubbles">
        {messages.flatMap((message, index) => [
          ...(isNewDay(messages, index)
            ? [
                <li key={`day-${message.id}`} className="day">
                  {dayOf(new Date(message.timestamp))}
                </li>,
              ]
            : []),
          <Bubble key={message.id} device={device} message={message} />,
        ])}
      </ol>
    </div>
  );
};
