/** The messages of a conversation, oldest first, with the days and the timers of the chat. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { Message } from '../api/message.ts';
import { dayName } from '../base/format.ts';
import type { Entry } from '../outbox/entry.ts';
import { texts } from '../base/texts.ts';
import { type Attempt, Failure, useAttempt } from '../ui/attempt.tsx';
import { Boundary } from '../ui/boundary.tsx';
import { Empty } from '../ui/parts.tsx';
import { Earlier, type FromPhone } from './inbox/from-phone.tsx';
import type { Goal } from './inbox/messages.ts';
import { itemsOf, type LogItem, type TimerChange } from './log-items.ts';
import { Bubble } from './message/bubble.tsx';
import { type Shown, ShownContext, useShown } from './shown/shown.ts';
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
      return <li className="day">{dayName(item.at)}</li>;
    case 'timer':
      return <TimerLine {...item} />;
    case 'message':
      return <Bubble message={item.message} />;
  }
};

/** Focuses the message, which highlights it and makes screen readers read it. */
const goToIn = (log: HTMLElement | null, messageId: string): void => {
  const bubble = log?.querySelector<HTMLElement>(`[data-id="${CSS.escape(messageId)}"]`);
  bubble?.scrollIntoView({ block: 'center' });
  bubble?.focus({ preventScroll: true });
};

/**
 * Keeps the newest message in view when something above it grows, unless the reader has scrolled away from it, and what
 * is read in its place when older messages are added. `first` and `last` identify both ends.
 */
const useScroll = (
  log: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
  { chat, first, last }: { readonly chat: string | null; readonly first: string; readonly last: string },
) => {
  const atEnd = useRef(true);
  /** Distance of the reader from the end, which does not change by what is added above. */
  const before = useRef({ chat, fromEnd: 0 });
  const toEnd = useCallback(() => {
    log.current?.scrollTo(0, log.current.scrollHeight);
  }, [log]);
  useLayoutEffect(() => {
    const element = log.current;
    if (element === null || before.current.chat !== chat || atEnd.current) return;
    element.scrollTop = element.scrollHeight - before.current.fromEnd;
  }, [log, chat, first]);
  useLayoutEffect(() => {
    atEnd.current = true;
    before.current = { chat, fromEnd: 0 };
    toEnd();
  }, [toEnd, chat, last]);
  useEffect(() => {
    if (list.current === null) return;
    const observer = new ResizeObserver(() => {
      if (atEnd.current) toEnd();
    });
    observer.observe(list.current);
    // The log shrinks when the form below it grows.
    if (log.current !== null) observer.observe(log.current);
    return () => observer.disconnect();
  }, [log, list, toEnd]);
  return ({ scrollTop, clientHeight, scrollHeight }: HTMLElement): void => {
    atEnd.current = scrollHeight - scrollTop - clientHeight < 40;
    before.current = { chat, fromEnd: scrollHeight - scrollTop };
  };
};

/** Loads older messages when the reader comes near to the oldest one, and asks the phone for them at the start of the log. */
const useOlder = ({ chat, older, fromPhone }: Pick<Props, 'chat' | 'older' | 'fromPhone'>, attempt: Attempt) => {
  const { dismiss } = attempt;
  useEffect(dismiss, [dismiss, chat]);
  // Another chat starts at a position that nobody scrolled to.
  const before = useRef({ chat, top: 0 });
  return ({ scrollTop, scrollHeight, clientHeight }: HTMLElement): void => {
    const isUp = before.current.chat === chat && scrollTop < before.current.top;
    before.current = { chat, top: scrollTop };
    if (fromPhone?.state === 'idle' && isUp && scrollTop < 20) fromPhone.ask();
    // After a failure, the reader decides.
    if (older === null || attempt.error !== null || scrollTop > 200 || scrollHeight <= clientHeight) return;
    void attempt.run(older);
  };
};

/** A message that fails to render must not hide the others. */
const Guarded = ({ item }: { readonly item: LogItem }) => (
  <Boundary instead={() => <li className="bubble in gone">{words.odd}</li>}>
    <Item item={item} />
  </Boundary>
);

interface Props extends Omit<Shown, 'find' | 'goTo'> {
  readonly chat: string | null;
  /** Newest first. */
  readonly messages: readonly Message[];
  /** Oldest first. */
  readonly unsent: readonly Entry[];
  readonly timers: readonly TimerChange[];
  readonly older: (() => Promise<void>) | null;
  /** Null while the log itself has older ones. */
  readonly fromPhone: FromPhone | null;
  /** The message to go to once it is loaded. */
  readonly goal: Goal | null;
  /** Leaves the messages around the goal; null while the newest are shown. */
  readonly toNewest: (() => void) | null;
  /** Shown while there are no messages. */
  readonly state: string | null;
  /** True if the device has no messages. */
  readonly empty: boolean;
}

/** Asks the phone automatically only while the device is connected. */
const askable = ({ device, fromPhone }: Pick<Props, 'device' | 'fromPhone'>): FromPhone | null =>
  device.status === 'connected' ? fromPhone : null;

/** Above the messages: how to get older ones, or the state. */
const Top = (props: Props & { readonly attempt: Attempt }) => {
  const { device, chat, messages, unsent, older, fromPhone, state, empty, attempt } = props;
  return (
    <>
      {older !== null && (
        <>
          <button
            type="button"
            className="quiet"
            disabled={attempt.busy}
            aria-busy={attempt.busy}
            onClick={() => void attempt.run(older)}
          >
            {words.older}
          </button>
          <Failure of={attempt} />
        </>
      )}
      {fromPhone !== null && <Earlier device={device} fromPhone={fromPhone} />}
      {state !== null && <p className="loading">{state}</p>}
      {empty && (
        <Empty title={words.none}>
          <p>{words.noneHint}</p>
        </Empty>
      )}
      {!empty && chat !== null && state === null && messages.length + unsent.length === 0 && (
        <Empty title={words.noneHere} />
      )}
    </>
  );
};

export const MessageLog = (props: Props) => {
  const { chat, messages, unsent, timers, older, goal, toNewest, ...rest } = props;
  const element = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const ends = { chat, first: messages.at(-1)?.id ?? '', last: `${messages[0]?.id} ${unsent.at(-1)?.key}` };
  const scrolled = useScroll(element, list, ends);
  const attempt = useAttempt();
  const nearStart = useOlder({ chat, older, fromPhone: askable(props) }, attempt);
  const byId = useMemo(() => new Map(messages.map((one) => [one.id, one])), [messages]);
  const isThere = goal !== null && byId.has(goal.id);
  useEffect(() => {
    if (isThere) goToIn(element.current, goal.id);
  }, [goal, isThere]);
  const shown: Shown = {
    ...rest,
    find: (id) => byId.get(id),
    goTo: (id) => goToIn(element.current, id),
  };
  const items = itemsOf(
    messages.toReversed(),
    timers.filter((one) => one.chat === chat),
  );
  return (
    <div
      className="log"
      ref={element}
      role="log"
      aria-label={words.log}
      tabIndex={0}
      onScroll={({ currentTarget }) => {
        scrolled(currentTarget);
        nearStart(currentTarget);
      }}
    >
      <Top {...props} attempt={attempt} />
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
      {toNewest !== null && (
        <p className="row newest">
          <button type="button" className="small" onClick={toNewest}>
            {words.newest}
          </button>
        </p>
      )}
    </div>
  );
};
