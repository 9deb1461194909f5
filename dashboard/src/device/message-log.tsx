/** The messages of a conversation, oldest first, with the days and the timers of the chat. */
import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import { dayOf } from '../format.ts';
import { texts } from '../texts.ts';
import { Boundary } from '../ui/boundary.tsx';
import { Action, Empty } from '../ui/parts.tsx';
import type { Conversation } from './conversations.ts';
import { itemsOf, type LogItem, type TimerChange } from './log-items.ts';
import { Bubble } from './message/bubble.tsx';
import { type Shown, ShownContext, useShown } from './message/shown.ts';
import { Unsent } from './message/unsent.tsx';

const words = texts.chat;

const TimerLine = ({ timer: { expiresInSeconds, from } }: Extract<LogItem, { kind: 'timer' }>) => {
  const { nameOf } = useShown();
  const { on, onBy, off, offBy } = texts.message.timer;
  if (expiresInSeconds === null) return <li className="day">{from === undefined ? off : offBy(nameOf(from))}</li>;
  const text = from === undefined ? on(expiresInSeconds) : onBy(nameOf(from), expiresInSeconds);
  return <li className="day">{text}</li>;
};

const Item = ({ item }: { readonly item: LogItem }) => {
  switch (item.kind) {
    case 'day':
      return <li className="day">{dayOf(new Date(item.at))}</li>;
    case 'timer':
      return <TimerLine {...item} />;
    case 'message':
      return <Bubble message={item.message} />;
  }
};

/** The focus marks the message, and screen readers read it. */
const goToIn = (log: HTMLElement | null, messageId: string): void => {
  const bubble = log?.querySelector<HTMLElement>(`[data-id="${CSS.escape(messageId)}"]`);
  bubble?.scrollIntoView({ block: 'center' });
  bubble?.focus({ preventScroll: true });
};

/** Keeps the newest message in view when something above it grows, unless the reader has scrolled away from it. */
const useEnd = (log: RefObject<HTMLElement | null>, list: RefObject<HTMLElement | null>, newest: string) => {
  const atEnd = useRef(true);
  const toEnd = useCallback(() => {
    log.current?.scrollTo(0, log.current.scrollHeight);
  }, [log]);
  useEffect(toEnd, [toEnd, newest]);
  useEffect(() => {
    if (list.current === null) return;
    const observer = new ResizeObserver(() => {
      if (atEnd.current) toEnd();
    });
    observer.observe(list.current);
    return () => observer.disconnect();
  }, [list, toEnd]);
  return ({ scrollTop, clientHeight, scrollHeight }: HTMLElement): void => {
    atEnd.current = scrollHeight - scrollTop - clientHeight < 40;
  };
};

/** One message that cannot be shown must not take the others with it. */
const Guarded = ({ item }: { readonly item: LogItem }) => (
  <Boundary instead={() => <li className="bubble in gone">{words.odd}</li>}>
    <Item item={item} />
  </Boundary>
);

interface Props extends Omit<Shown, 'find' | 'goTo'> {
  readonly conversation: Conversation | null;
  readonly timers: readonly TimerChange[];
  /** Whether the device has no messages at all. */
  readonly empty: boolean;
  readonly older?: () => Promise<void>;
}

export const MessageLog = ({ conversation, timers, empty, older, ...rest }: Props) => {
  const element = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const chat = conversation?.chat;
  const messages = conversation?.messages ?? [];
  const unsent = conversation?.unsent ?? [];
  const scrolled = useEnd(element, list, `${chat} ${messages.at(-1)?.id} ${unsent.at(-1)?.key}`);
  const byId = useMemo(() => new Map(messages.map((one) => [one.id, one])), [messages]);
  const shown: Shown = {
    ...rest,
    find: (id) => byId.get(id),
    goTo: (id) => goToIn(element.current, id),
  };
  const items = itemsOf(
    messages,
    timers.filter((one) => one.chat === chat),
  );
  return (
    <div
      className="log"
      ref={element}
      role="log"
      aria-label={words.log}
      tabIndex={0}
      onScroll={({ currentTarget }) => scrolled(currentTarget)}
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
      <ShownContext value={shown}>
        <ol className="bubbles" ref={list}>
          {items.map((item) => (
            <Guarded key={item.key} item={item} />
          ))}
          {unsent.map((entry) => (
            <Unsent key={entry.key} entry={entry} />
          ))}
        </ol>
      </ShownContext>
    </div>
  );
};
