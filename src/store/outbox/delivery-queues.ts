/**
 * The heads of the outbox. A lane is the queue of one (device, order key); its row points at its oldest pending delivery, the
 * only one that may be claimed. A device points (`queue_at`) at its first due lane. So a claim looks at what it
 * takes and never at the rest, however long the queues are.
 * Whoever writes lanes writes the device's row first: it keeps two writers of one device apart on a database with many.
 */
import type { Context } from '../context.ts';
import { type FreshLane, type GivenBack, headOf } from './fresh-queues.ts';
import { type Unit, prepare, prepareRows } from '../unit.ts';

/** A delivery that is due now. */
interface Queued {
  readonly seq: number;
  readonly orderKey: string;
}

export interface Enqueued {
  /** In the order in which they were given. */
  readonly enqueued: readonly {
    readonly orderHash: string;
    /** When the lane began with it: until when it is leased; null: the lane is to be looked at now, or was there. */
    readonly leasedUntil: number | null;
  }[];
  /** When the device is to be looked at for them; null: when it would be anyway. */
  readonly lookAt: number | null;
}

export interface LaneWriter {
  /** Adds deliveries at the ends of their lanes, in the order of the log. */
  enqueue(deviceId: number, queued: readonly Queued[], now: number): Unit<Enqueued>;
  /** Lets the device be looked at from `at` on. */
  wake(deviceId: number, at: number): Unit<void>;
  /** Points a lane at its oldest pending delivery again, or removes it when there is none. */
  refresh(deviceId: number, orderHash: string, finished?: number): Unit<void>;
  /**
   * The same for a lane that is claimed from without the database: `next` is its head as far as that is known. The head that its
   * row names then, or null when there is no row.
   */
  advance(lane: FreshLane, next: number | null, leaseUntil: number): Unit<number | null>;
  /** Lets the database claim such lanes. */
  giveBack(lanes: readonly GivenBack[], now: number): Unit<void>;
  /** All such lanes of a device: its webhook is not what it was. */
  giveBackAll(deviceId: number, now: number): Unit<void>;
  /** Sets `queue_at` to the first due lane, though not before `turn`, so that busy devices take turns. */
  reschedule(deviceId: number, turn: number): Unit<void>;
}

const deliveryQueries = ({ sql }: Context) => ({
  insert: prepareRows((rows: { deviceId: number; seq: number; orderHash: string; now: number }[]) =>
    sql.insertInto('deliveries').values(
      rows.map((p) => ({
        device_id: p.deviceId,
        seq: p.seq,
        order_hash: p.orderHash,
        state: 'pending' as const,
        attempts: 0,
        next_attempt_at: p.now,
        created_at: p.now,
      })),
    ),
  ),
  oldest: prepare((p: { deviceId: number; orderHash: string }) =>
    sql
      .selectFrom('deliveries')
      .select(['seq', 'next_attempt_at'])
      .where('device_id', '=', p.deviceId)
      .where('order_hash', '=', p.orderHash)
      .where('next_attempt_at', 'is not', null)
      .orderBy('seq')
      .limit(1),
  ),
});

const laneQueries = ({ sql, database }: Context) => ({
  insert: prepare((p: { deviceId: number; orderHash: string; seq: number; dueAt: number; leased: number }) =>
    sql
      .insertInto('lanes')
      .values({ device_id: p.deviceId, order_hash: p.orderHash, head_seq: p.seq, due_at: p.dueAt, leased: p.leased })
      .onConflict((c) => c.columns(['device_id', 'order_hash']).doNothing())
      .$if(database.shared, (query) => query.returning('head_seq')),
  ),
  extend: prepare((p: { deviceId: number; orderHash: string; seq: number; dueAt: number }) =>
    sql
      .updateTable('lanes')
      .set({ head_seq: p.seq, due_at: p.dueAt, leased: 1 })
      .where('device_id', '=', p.deviceId)
      .where('order_hash', '=', p.orderHash),
  ),
  /** Unless it has moved on meanwhile. */
  free: prepare((p: GivenBack & { readonly now: number }) =>
    sql
      .updateTable('lanes')
      .set({ head_seq: p.head, due_at: p.now, leased: 0 })
      .where('device_id', '=', p.deviceId)
      .where('order_hash', '=', p.orderHash)
      .where('head_seq', '=', p.rowHead)
      .where('leased', '=', 1),
  ),
  /** A head that is on its way, and is not the one that has come back (`finished`), keeps its lease. */
  put: prepare((p: { deviceId: number; orderHash: string; seq: number; dueAt: number; finished: number }) =>
    sql
      .insertInto('lanes')
      .values({ device_id: p.deviceId, order_hash: p.orderHash, head_seq: p.seq, due_at: p.dueAt, leased: 0 })
      .onConflict((c) =>
        c
          .columns(['device_id', 'order_hash'])
          .doUpdateSet((e) => ({
            head_seq: e.ref('excluded.head_seq'),
            due_at: e.ref('excluded.due_at'),
            leased: 0,
          }))
          .where((e) =>
            e.or([
              e('lanes.leased', '=', 0),
              e('lanes.head_seq', '!=', e.ref('excluded.head_seq')),
              e('lanes.head_seq', '=', p.finished),
            ]),
          ),
      ),
  ),
  delete: prepare((p: { deviceId: number; orderHash: string }) =>
    sql.deleteFrom('lanes').where('device_id', '=', p.deviceId).where('order_hash', '=', p.orderHash),
  ),
  firstDue: prepare((p: { deviceId: number }) =>
    sql.selectFrom('lanes').select('due_at').where('device_id', '=', p.deviceId).orderBy('due_at').limit(1),
  ),
});

const deviceQueries = ({ sql }: Context) => ({
  wake: prepare((p: { deviceId: number; at: number }) =>
    sql
      .updateTable('devices')
      .set({ queue_at: p.at })
      .where('id', '=', p.deviceId)
      .where((e) => e.or([e('queue_at', 'is', null), e('queue_at', '>', p.at)])),
  ),
  schedule: prepare((p: { deviceId: number; at: number | null }) =>
    sql
      .updateTable('devices')
      .set((e) => ({
        queue_at: e
          .case()
          .when(e.and([e('webhook_url', 'is not', null), e('disabled_at', 'is', null), e('deleted', '=', 0)]))
          .then(e.cast<number | null>(e.val(p.at), 'bigint'))
          .end(),
      }))
      .where('id', '=', p.deviceId),
  ),
});

const enqueuer = (
  context: Context,
  deliveries: ReturnType<typeof deliveryQueries>,
  lanes: ReturnType<typeof laneQueries>,
): LaneWriter['enqueue'] => {
  const { fresh, database } = context;
  return function* enqueue(deviceId, queued, now) {
    const rows = queued.map(({ seq, orderKey }) => {
      return { deviceId, seq, orderHash: context.seal.lookup('order', deviceId, orderKey), now };
    });
    yield* deliveries.insert.write(rows);
    const until = fresh?.hasRoom === true ? fresh.leaseUntil(now) : null;
    const dueAt = until ?? now;
    let lookAt: number | null = null;
    const seen = new Set<string>();
    const enqueued = [];
    for (const { seq, orderHash } of rows) {
      // Behind the first one of its lane there is one.
      const begins =
        !seen.has(orderHash) &&
        (yield* lanes.insert.changed({ deviceId, orderHash, seq, dueAt, leased: until === null ? 0 : 1 }));
      seen.add(orderHash);
      if (begins || database.shared) lookAt = dueAt;
      enqueued.push({ orderHash, leasedUntil: begins ? until : null });
    }
    return { enqueued, lookAt };
  };
};

export const laneWriter = (context: Context): LaneWriter => {
  const deliveries = deliveryQueries(context);
  const lanes = laneQueries(context);
  const devices = deviceQueries(context);
  const { fresh } = context;
  /** The row of a lane that is claimed from without the database stays as it is, unless an older one is pending again. */
  function* standsInFront(deviceId: number, orderHash: string, head: number | undefined): Unit<boolean> {
    const lane = fresh?.find(deviceId, orderHash);
    if (lane === undefined) return false;
    const own = headOf(lane);
    if (own === head) return true;
    fresh?.drop(lane);
    if (own !== null) yield* lanes.extend.all({ deviceId, orderHash, seq: own, dueAt: lane.dueAt });
    return false;
  }
  function* giveBack(given: readonly GivenBack[], now: number): Unit<void> {
    for (const lane of given) yield* lanes.free.all({ ...lane, now });
    for (const deviceId of new Set(given.map((lane) => lane.deviceId))) yield* reschedule(deviceId, now);
  }
  function* reschedule(deviceId: number, turn: number): Unit<void> {
    fresh?.rescheduled();
    const next = yield* lanes.firstDue.first({ deviceId });
    yield* devices.schedule.all({ deviceId, at: next === undefined ? null : Math.max(next.due_at, turn) });
  }
  return {
    enqueue: enqueuer(context, deliveries, lanes),
    *wake(deviceId, at) {
      fresh?.wokenAt(at);
      yield* devices.wake.all({ deviceId, at });
    },
    *refresh(deviceId, orderHash, finished = 0) {
      const head = yield* deliveries.oldest.first({ deviceId, orderHash });
      if (finished === 0 && (yield* standsInFront(deviceId, orderHash, head?.seq))) return;
      if (head === undefined) yield* lanes.delete.all({ deviceId, orderHash });
      else yield* lanes.put.all({ deviceId, orderHash, seq: head.seq, dueAt: head.next_attempt_at!, finished });
    },
    *advance({ deviceId, orderHash }, next, leaseUntil) {
      // What was written within the same transaction is not known yet.
      const head = next ?? (yield* deliveries.oldest.first({ deviceId, orderHash }))?.seq;
      if (head === undefined) yield* lanes.delete.all({ deviceId, orderHash });
      else yield* lanes.extend.all({ deviceId, orderHash, seq: head, dueAt: leaseUntil });
      return head ?? null;
    },
    giveBack,
    *giveBackAll(deviceId, now) {
      if (fresh === null) return;
      const { waiting, onTheirWay } = fresh.dropAll(deviceId);
      // Their rows name them, so that nobody takes them for ones that wait.
      for (const { orderHash, head, dueAt } of onTheirWay)
        yield* lanes.extend.all({ deviceId, orderHash, seq: head, dueAt });
      yield* giveBack(waiting, now);
    },
    reschedule,
  };
};
