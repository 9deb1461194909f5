/** Server-sent events of all devices of a user: what happens from now on, for clients that watch many devices at once. */
import type { ServerResponse } from 'node:http';
import { type AnyKind, type StoredEvent, envelopeOf } from '../../domain/event.ts';
import { pause } from '../../service/deadline.ts';
import type { Caller } from '../admission/admission.ts';
import type { Parts } from '../server/parts.ts';
import { StreamRight } from '../admission/stream-right.ts';
import { Wakeup } from './wakeup.ts';

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
class Waiting extends Wakeup {
  #events: StoredEvent[] = [];

  /** Ends the stream instead of growing without bound. */
  add(events: readonly StoredEvent[]): void {
    if (this.gone || events.length === 0) return;
    this.#events.push(...events);
    if (this.#events.length > mostWaiting) this.leave();
    else this.notify();
  }

  take(): readonly StoredEvent[] {
    return this.#events.splice(0);
  }
}

/** Subscribes before it says that it is connected: what happens after that is in the stream. */
export const userStream = async function* (wish: Wish): AsyncGenerator<string> {
  const { parts, caller, kinds, connection, closing } = wish;
  const waiting = new Waiting(parts.clock);
  // Before they wait: what happens to others takes none of this reader's room.
  const unsubscribe = parts.stores.onEvents((events) =>
    waiting.add(
      events.filter(
        ({ userId, event }) => userId === caller.user.id && (kinds === undefined || kinds.includes(event.type)),
      ),
    ),
  );
  const leave = (): void => waiting.leave();
  connection.once('close', leave);
  closing.addEventListener('abort', leave);
  const right = new StreamRight(() => parts.users.isValid(caller.secret));
  /** False: the reader has lost its right. While the database is away that is unknown, and nothing is written. */
  const isAllowed = async (ask: () => Promise<boolean | null>): Promise<boolean> => {
    for (;;) {
      const allowed = await ask();
      if (allowed !== null || waiting.gone) return allowed === true;
      await pause(parts.clock, againMs);
    }
  };
  try {
    yield 'retry: 2000\n: connected\n\n';
    while (!waiting.gone) {
      await waiting.wait(heartbeatMs);
      const events = waiting.take();
      if (waiting.gone || !(await isAllowed(() => right.holds()))) return;
      for (const stored of events) {
        if (!(await isAllowed(() => right.stillHolds()))) return;
        yield `id: ${stored.id}\nevent: ${stored.event.type}\ndata: ${JSON.stringify(envelopeOf(stored))}\n\n`;
      }
      if (events.length === 0 && !waiting.gone) yield ': keep-alive\n\n';
    }
  } finally {
    unsubscribe();
    closing.removeEventListener('abort', leave);
    connection.off('close', leave);
  }
};
