/**
 * Announces committed events to the other nodes by LISTEN/NOTIFY. A notification holds sequence numbers; listeners get the events
 * as read from the log. Notifications that are lost (a node dies, a connection breaks) do no harm: readers of the log find the events.
 */
import { randomUUID } from 'node:crypto';
import { Mutex } from 'async-mutex';
import type { Client } from 'pg';
import type { CommittedEvent } from '../../domain/event.ts';
import type { EventStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Context } from '../context.ts';
import { eventStore } from '../events/events.ts';
import { eventId, seqOf } from '../events/ids.ts';
import type { Listeners } from '../events/listeners.ts';
import type { PostgresDatabase } from './postgres.ts';

const channel = 'handset_events';
/** Events of this interval share a notification, since each takes a lock over the whole database. */
const gatherMs = 20;
/** Ranges in one notification: a payload may have 8,000 bytes. */
const perNotification = 200;
const reconnectMs = 500;
/** Page size for reading events. */
const pageSize = 200;

/** Device, first and last sequence, and whose device it is. */
type Range = readonly [number, number, number, number];

const isRange = (value: unknown): value is Range =>
  Array.isArray(value) && value.length === 4 && value.every((part) => Number.isSafeInteger(part));

const parse = (payload: string): { readonly from: string; readonly ranges: readonly Range[] } => {
  const value: unknown = JSON.parse(payload);
  if (!Array.isArray(value)) return { from: '', ranges: [] };
  return { from: String(value[0]), ranges: value.slice(1).filter(isRange) };
};

/** Events published since the last notification. */
class Gathered {
  #byDevice = new Map<number, readonly [number, number, number]>();

  add(events: readonly CommittedEvent[]): void {
    for (const { id, deviceId, userId } of events) {
      const seq = seqOf('evt', deviceId, id)!;
      const known = this.#byDevice.get(deviceId);
      this.#byDevice.set(deviceId, [Math.min(known?.[0] ?? seq, seq), Math.max(known?.[1] ?? seq, seq), userId]);
    }
  }

  take(): Range[] {
    const all = [...this.#byDevice].map(([deviceId, [first, last, userId]]): Range => [deviceId, first, last, userId]);
    this.#byDevice = new Map();
    return all;
  }
}

/** Listens for the other nodes' notifications on its own connection, and reconnects when that breaks. */
const listen = async (
  database: PostgresDatabase,
  hear: (payload: string) => void,
  missed: () => void,
  log: Logger | undefined,
): Promise<() => Promise<void>> => {
  let client: Client | null = null;
  let closed = false;
  const connect = async (): Promise<void> => {
    const made = await database.connect();
    made.on('notification', ({ payload }) => hear(payload ?? ''));
    made.on('error', () => undefined);
    made.on('end', () => {
      if (!closed) retry();
    });
    await made.query(`listen ${channel}`);
    client = made;
  };
  const retry = (): void => {
    client = null;
    setTimeout(() => {
      if (closed) return;
      connect().then(missed, (error: unknown) => {
        log?.warn({ error: messageOf(error) }, 'cannot listen for events of other nodes; retrying');
        retry();
      });
    }, reconnectMs).unref();
  };
  await connect();
  return async () => {
    closed = true;
    await client?.end();
  };
};

/** The events of a range, in pages. */
async function* eventsOf(store: EventStore, [deviceId, first, last, userId]: Range): AsyncGenerator<CommittedEvent[]> {
  for (let after = first - 1; after < last;) {
    const page = await store.listAfter(deviceId, eventId(deviceId, after), pageSize);
    const events = page.filter(({ id }) => seqOf('evt', deviceId, id)! <= last);
    // Whether they are posted was not sent along; the dispatcher of this node finds out.
    yield events.map((event) => ({ ...event, userId, isPosted: true }));
    after = events.length < pageSize ? last : seqOf('evt', deviceId, events.at(-1)!.id)!;
  }
}

export const carryEvents = async (
  context: Context,
  database: PostgresDatabase,
  { tell, missed }: Pick<Listeners, 'tell' | 'missed'>,
  log: Logger | undefined,
): Promise<{ readonly publish: (events: readonly CommittedEvent[]) => void; readonly close: () => Promise<void> }> => {
  const own = randomUUID();
  const gathered = new Gathered();
  const store = eventStore(context);
  let timer: NodeJS.Timeout | null = null;
  const sending = new Mutex();
  const hearing = new Mutex();

  const failed = (error: unknown): void => {
    log?.warn({ error: messageOf(error) }, 'other nodes could not be notified of new events');
  };
  const send = async (): Promise<void> => {
    const ranges = gathered.take();
    for (let start = 0; start < ranges.length; start += perNotification) {
      const payload = JSON.stringify([own, ...ranges.slice(start, start + perNotification)]);
      await database.read(function* () {
        yield { sql: 'select pg_notify($1, $2)', values: [channel, payload] };
      });
    }
  };
  const flush = (): void => {
    timer = null;
    sending.runExclusive(send).catch(failed);
  };
  const hear = async (payload: string): Promise<void> => {
    const { from, ranges } = parse(payload);
    if (from === own) return;
    for (const range of ranges) {
      for await (const events of eventsOf(store, range)) tell(events);
    }
  };
  const stop = await listen(
    database,
    (payload) => {
      hearing.runExclusive(() => hear(payload)).catch(failed);
    },
    missed,
    log,
  );
  return {
    publish: (events) => {
      tell(events);
      if (events.length === 0) return;
      gathered.add(events);
      timer ??= setTimeout(flush, gatherMs);
    },
    close: async () => {
      if (timer !== null) clearTimeout(timer);
      flush();
      await stop();
      await Promise.all([sending.acquire(), hearing.acquire()]);
    },
  };
};
