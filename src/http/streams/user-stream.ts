/** Server-sent events of all devices of a user: what happens from now on, for who watches many devices at once. */
import type { ServerResponse } from 'node:http';
import { type AnyKind, type StoredEvent, envelopeOf } from '../../domain/event.ts';
import { pause } from '../../service/deadline.ts';
import type { Caller } from '../admission/authenticate.ts';
import type { Parts } from '../server/parts.ts';
import { StreamRight } from '../admission/stream-right.ts';

const heartbeatMs = 15_000;
/** Between two looks at a database that is away. */
const againMs = 1_000;
/** A reader that falls so far behind is cut off; it reads the logs of its devices and comes back. */
const mostWaiting = 1000;

interface Wish {
  readonly parts: Pick<Parts, 'stores' | 'users' | 'clock'>;
  readonly caller: Caller;
  /** All if omitted. */
  readonly kinds?: readonly AnyKind[] | undefined;
  readonly connection: ServerResponse;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
}

/** The user's own events that wait for the reader, in the order of their commits. */
class Waiting {
  #events: StoredEvent[] = [];
  #wake: (() => void) | null = null;
  ended = false;

  /** Ends the stream instead of growing without bound. */
  add(events: readonly StoredEvent[]): void {
    if (this.ended || events.length === 0) return;
    this.#events.push(...events);
    if (this.#events.length > mostWaiting) this.end();
    this.#wake?.();
  }

  end(): void {
    this.ended = true;
    this.#events = [];
    this.#wake?.();
  }

  take(): readonly StoredEvent[] {
    return this.#events.splice(0);
  }

  async untilNews(ms: number, clock: Wish['parts']['clock']): Promise<void> {
    if (this.#events.length > 0 || this.ended) return;
    await new Promise<void>((resolve) => {
      const timer = clock.after(ms, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
    this.#wake = null;
  }
}

/** Subscribes before it says that it is connected: what happens after that is in the stream. */
export const userStream = async function* (wish: Wish): AsyncGenerator<string> {
  const { parts, caller, kinds, connection, closing } = wish;
  const waiting = new Waiting();
  // Before they wait: what happens to others takes none of this reader's room.
  const unsubscribe = parts.stores.onEvents((events) =>
    waiting.add(
      events.filter(
        ({ userId, event }) => userId === caller.user.id && (kinds === undefined || kinds.includes(event.type)),
      ),
    ),
  );
  const leave = (): void => waiting.end();
  connection.once('close', leave);
  closing.addEventListener('abort', leave);
  const right = new StreamRight(() => parts.users.isValid(caller.secret));
  /** False: the reader may have no more. A database that is away does not say so; until it is back nothing is written. */
  const isAllowed = async (ask: () => Promise<boolean | null>): Promise<boolean> => {
    for (;;) {
      const allowed = await ask();
      if (allowed !== null || waiting.ended) return allowed === true;
      await pause(parts.clock, againMs);
    }
  };
  try {
    yield 'retry: 2000\n: connected\n\n';
    while (!waiting.ended) {
      await waiting.untilNews(heartbeatMs, parts.clock);
      const events = waiting.take();
      if (waiting.ended || !(await isAllowed(() => right.holds()))) return;
      for (const stored of events) {
        if (!(await isAllowed(() => right.stillHolds()))) return;
        yield `id: ${stored.id}\nevent: ${stored.event.type}\ndata: ${JSON.stringify(envelopeOf(stored))}\n\n`;
      }
      if (events.length === 0 && !waiting.ended) yield ': keep-alive\n\n';
    }
  } finally {
    unsubscribe();
    closing.removeEventListener('abort', leave);
    connection.off('close', leave);
  }
};
