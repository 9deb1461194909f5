/** Announces committed events to other nodes, as ranges of sequence numbers. A lost NOTIFY does no harm: readers find the events in the log. */
import { randomUUID } from 'node:crypto';
import { Mutex } from 'async-mutex';
import type { Client } from 'pg';
import type { CommittedEvent } from '../../domain/event.ts';
import type { EventStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Context, Listeners } from '../base/context.ts';
import { eventStore } from '../events/events.ts';
import { eventId, seqOf } from '../base/ids.ts';
import type { PostgresDatabase } from './postgres.ts';

const channel = 'handset_events';
/** Events within this interval share a NOTIFY, which locks the whole database. */
const gatherMs = 20;
/** Ranges per notification; a payload is limited to 8,000 bytes. */
const perNotification = 200;
const reconnectMs = 500;
const pageSize = 200;

type Suppressing = readonly ['suppressing', number];

const isSuppressing = (value: unknown): value is Suppressing =>
  Array.isArray(value) && value[0] === 'suppressing' && Number.isSafeInteger(value[1]);

/** Sent whole, because its log is gone by then. */
type Deleted = readonly ['deleted', CommittedEvent];

const isDeleted = (value: unknown): value is Deleted => Array.isArray(value) && value[0] === 'deleted';

type Range = readonly [number, number, number, number];

const isRange = (value: unknown): value is Range =>
  Array.isArray(value) && value.length === 4 && value.every((part) => Number.isSafeInteger(part));

interface Heard {
  readonly from: string;
  readonly ranges: readonly Range[];
  readonly users: readonly number[];
  readonly deleted: readonly CommittedEvent[];
}

const parse = (payload: string): Heard => {
  const value: unknown = JSON.parse(payload);
  if (!Array.isArray(value)) return { from: '', ranges: [], users: [], deleted: [] };
  const users = value.filter(isSuppressing).map(([, userId]) => userId);
  const said = value.slice(1);
  return {
    from: String(value[0]),
    ranges: said.filter(isRange),
    users,
    deleted: said.filter(isDeleted).map(([, event]) => event),
  };
};

class Gathered {
  #byDevice = new Map<number, readonly [number, number, number]>();
  #deleted: Deleted[] = [];

  add(events: readonly CommittedEvent[]): void {
    for (const committed of events) {
      const { id, deviceId, userId } = committed;
      if (committed.event.type === 'device.deleted') {
        this.#deleted.push(['deleted', committed]);
        continue;
      }
      const seq = seqOf('evt', deviceId, id)!;
      const known = this.#byDevice.get(deviceId);
      this.#byDevice.set(deviceId, [Math.min(known?.[0] ?? seq, seq), Math.max(known?.[1] ?? seq, seq), userId]);
    }
  }

  take(): (readonly (Range | Deleted)[])[] {
    const all = [...this.#byDevice].map(([deviceId, [first, last, userId]]): Range => [deviceId, first, last, userId]);
    const said: (readonly (Range | Deleted)[])[] = [];
    for (let start = 0; start < all.length; start += perNotification)
      said.push(all.slice(start, start + perNotification));
    for (const deleted of this.#deleted) said.push([deleted]);
    this.#byDevice = new Map();
    this.#deleted = [];
    return said;
  }
}

/** Uses its own connection and reconnects. */
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

async function* eventsOf(store: EventStore, [deviceId, first, last, userId]: Range): AsyncGenerator<CommittedEvent[]> {
  for (let after = first - 1; after < last;) {
    const page = await store.listAfter(deviceId, { limit: pageSize, cursor: eventId(deviceId, after) });
    const events = page.items.filter(({ id }) => seqOf('evt', deviceId, id)! <= last);
    yield events.map((event) => ({ ...event, userId, isPosted: true }));
    after = page.nextCursor === null ? last : seqOf('evt', deviceId, page.nextCursor)!;
  }
}

/** Listeners recognise this node's own notifications by `own`. */
const notifier =
  (database: PostgresDatabase, own: string) =>
  (said: readonly (Range | Suppressing | Deleted)[]): Promise<void> =>
    database.read(function* () {
      yield { sql: 'select pg_notify($1, $2)', values: [channel, JSON.stringify([own, ...said])] };
    });

export const carryEvents = async (
  context: Context,
  database: PostgresDatabase,
  { tell, missed }: Pick<Listeners, 'tell' | 'missed'>,
  log: Logger | undefined,
): Promise<{ readonly publish: Context['published']; readonly close: () => Promise<void> }> => {
  const own = randomUUID();
  const { suppressing } = context;
  const gathered = new Gathered();
  const store = eventStore(context);
  let timer: NodeJS.Timeout | null = null;
  const sending = new Mutex();
  const hearing = new Mutex();

  const failed = (error: unknown): void => {
    log?.warn({ error: messageOf(error) }, 'other nodes could not be notified of new events');
  };
  const notify = notifier(database, own);
  const send = async (): Promise<void> => {
    for (const said of gathered.take()) await notify(said);
  };
  const flush = (): void => {
    timer = null;
    sending.runExclusive(send).catch(failed);
  };
  const hear = async (payload: string): Promise<void> => {
    const { from, ranges, users, deleted } = parse(payload);
    if (from === own) return;
    for (const userId of users) suppressing.users.add(userId);
    for (const range of ranges) {
      for await (const events of eventsOf(store, range)) tell(events);
    }
    if (deleted.length > 0) tell(deleted);
  };
  const stop = await listen(
    database,
    (payload) => {
      hearing.runExclusive(() => hear(payload)).catch(failed);
    },
    missed,
    log,
  );
  suppressing.tell = (userId) => void notify([['suppressing', userId]]).catch(failed);
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
