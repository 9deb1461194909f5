/**
 * The heads of the outbox. A delivery queue holds the pending deliveries of one (device, order key); its row in `lanes` names the oldest,
 * the only one that may be claimed. A device's `queue_at` is when its first queue is due. So a claim reads only what it takes, however
 * long the queues are.
 * Writers of queues lock the device's row first, which keeps two of them apart on a shared database.
 */
import type { ExpressionBuilder } from 'kysely';
import type { DueDelivery } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { deliveryId } from '../events/ids.ts';
import type { Schema } from '../schema.ts';
import { openEvent } from '../sealing/rows.ts';
import { type Unit, all, prepare, prepareRows } from '../unit.ts';

interface NewDelivery {
  readonly seq: number;
  readonly orderKey: string;
}

type QueuedRow = { readonly deviceId: number; readonly seq: number; readonly orderHash: string; readonly now: number };

export interface QueueWriter {
  /** Appends deliveries that are due now, in the order of the log, and lets the device be looked at. */
  enqueue(deviceId: number, added: readonly NewDelivery[], now: number): Unit<void>;
  /** Points a queue at its oldest pending delivery again, or removes it when there is none. `finished`: the head whose lease is over. */
  refresh(deviceId: number, orderHash: string, finished?: number): Unit<void>;
  /** Sets `queue_at` (`queueAt`). */
  reschedule(deviceId: number, turn: number): Unit<void>;
}

const deliveryQueries = ({ sql }: Context) => ({
  insert: prepareRows((rows: QueuedRow[]) =>
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
});

const pendingOf = (
  sql: Context['sql'],
  { deviceId, orderHash }: { readonly deviceId: number; readonly orderHash: string },
) =>
  sql
    .selectFrom('deliveries')
    .where('device_id', '=', deviceId)
    .where('order_hash', '=', orderHash)
    .where('next_attempt_at', 'is not', null);

const queueQueries = ({ sql, database }: Context) => ({
  insert: prepareRows((rows: QueuedRow[]) =>
    sql
      .insertInto('lanes')
      .values(
        rows.map((p) => ({
          device_id: p.deviceId,
          order_hash: p.orderHash,
          head_seq: p.seq,
          due_at: p.now,
          leased: 0,
        })),
      )
      .onConflict((c) => c.columns(['device_id', 'order_hash']).doNothing())
      .$if(database.shared, (query) => query.returning('head_seq')),
  ),
  /**
   * Points it at its oldest pending delivery; changes nothing where there is none. A head that is being posted, and is not the one that has
   * come back (`finished`), keeps its lease.
   */
  put: prepare((p: { deviceId: number; orderHash: string; finished: number }) =>
    sql
      .insertInto('lanes')
      .columns(['device_id', 'order_hash', 'head_seq', 'due_at', 'leased'])
      .expression(
        pendingOf(sql, p)
          .select((e) => ['device_id', 'order_hash', 'seq', 'next_attempt_at', e.lit(0).as('leased')])
          .orderBy('seq')
          .limit(1),
      )
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
      )
      .$if(database.shared, (query) => query.returning('head_seq')),
  ),
  deleteEmpty: prepare((p: { deviceId: number; orderHash: string }) =>
    sql
      .deleteFrom('lanes')
      .where('device_id', '=', p.deviceId)
      .where('order_hash', '=', p.orderHash)
      .where((e) => e.not(e.exists(pendingOf(sql, p).select('seq')))),
  ),
});

/** When the first queue of a device is due, but not before `turn`, so that busy devices take turns. Null where there is nothing to post, or nowhere to. */
export const queueAt = (e: ExpressionBuilder<Schema, 'devices'>, turn: number) =>
  e
    .case()
    .when(e.and([e('webhook_url', 'is not', null), e('disabled_at', 'is', null), e('deleted', '=', 0)]))
    .then(
      e
        .selectFrom('lanes')
        .select((lane) => {
          const least = lane.cast<number>(lane.val(turn), 'bigint');
          return lane.case().when('due_at', '<', least).then(least).else(lane.ref('due_at')).end().as('at');
        })
        .whereRef('lanes.device_id', '=', 'devices.id')
        .orderBy('due_at')
        .limit(1),
    )
    .end();

const deviceQueries = ({ sql }: Context) => ({
  wake: prepare((p: { deviceId: number; at: number }) =>
    sql
      .updateTable('devices')
      .set({ queue_at: p.at })
      .where('id', '=', p.deviceId)
      .where((e) => e.or([e('queue_at', 'is', null), e('queue_at', '>', p.at)])),
  ),
  schedule: prepare((p: { deviceId: number; turn: number }) =>
    sql
      .updateTable('devices')
      .set((e) => ({ queue_at: queueAt(e, p.turn) }))
      .where('id', '=', p.deviceId),
  ),
});

export const queueWriter = (context: Context): QueueWriter => {
  const deliveries = deliveryQueries(context);
  const queues = queueQueries(context);
  const devices = deviceQueries(context);
  return {
    *enqueue(deviceId, added, now) {
      const heads = new Map<string, QueuedRow>();
      const rows: QueuedRow[] = [];
      for (const { seq, orderKey } of added) {
        const row = { deviceId, seq, orderHash: context.sealer.lookup('order', deviceId, orderKey), now };
        rows.push(row);
        if (!heads.has(row.orderHash)) heads.set(row.orderHash, row);
      }
      yield* deliveries.insert.write(rows);
      // Queues that were there already have the device looked at in time.
      if ((yield* queues.insert.write([...heads.values()])) > 0) yield* devices.wake.all({ deviceId, at: now });
    },
    *refresh(deviceId, orderHash, finished = 0) {
      if (yield* queues.put.changed({ deviceId, orderHash, finished })) return;
      yield* queues.deleteEmpty.all({ deviceId, orderHash });
    },
    *reschedule(deviceId, turn) {
      yield* devices.schedule.all({ deviceId, turn });
    },
  };
};

/** Deliveries of one device in one claim: a device with a million pending takes its turn like the others. */
const perDevice = 32;

type Due = { readonly deviceId: number; readonly now: number; readonly limit: number };

/** The first due queues of a device: the same ones in each statement of a claim, which has locked the device's row. */
const dueQueues = ({ sql }: Context, p: Due) =>
  sql
    .selectFrom('lanes as q')
    .where('q.device_id', '=', p.deviceId)
    .where('q.due_at', '<=', p.now)
    .orderBy('q.due_at')
    .orderBy('q.head_seq')
    .limit(p.limit);

const claimQueries = (context: Context) => {
  const { sql, database } = context;
  return {
    next: prepare(() =>
      sql.selectFrom('devices').select('queue_at').where('queue_at', 'is not', null).orderBy('queue_at').limit(1),
    ),
    // On a shared database each claim takes the devices that nobody else is writing to.
    devices: prepare((p: { now: number; limit: number }) =>
      sql
        .selectFrom('devices')
        .select('id')
        .where('queue_at', '<=', p.now)
        .orderBy('queue_at')
        .orderBy('id')
        .limit(p.limit)
        .$if(database.shared, (query) => query.forUpdate().skipLocked()),
    ),
    heads: prepare((p: Due) =>
      dueQueues(context, p)
        .innerJoin('deliveries as d', (j) =>
          j.onRef('d.device_id', '=', 'q.device_id').onRef('d.seq', '=', 'q.head_seq'),
        )
        .innerJoin('events as e', (j) => j.onRef('e.device_id', '=', 'q.device_id').onRef('e.seq', '=', 'q.head_seq'))
        .select(['e.device_id', 'e.seq', 'e.at', 'e.kind', 'e.data', 'd.attempts', 'd.brought_forward']),
    ),
    /** With `due_at` in its own condition, too, the update would walk all queues that are due. */
    lease: prepare((p: Due & { readonly leaseUntil: number }) =>
      sql
        .updateTable('lanes')
        .set({ due_at: p.leaseUntil, leased: 1 })
        .where('device_id', '=', p.deviceId)
        .where('order_hash', 'in', dueQueues(context, p).select('q.order_hash')),
    ),
  };
};

export const claims = (context: Context): Pick<Outbox, 'claim' | 'nextDueAt'> => {
  const { sealer, database } = context;
  const queries = claimQueries(context);
  const devices = deviceQueries(context);

  function* claimOf(due: Due, leaseUntil: number): Unit<DueDelivery[]> {
    const { deviceId, now } = due;
    const rows = yield* queries.heads.all(due);
    yield* queries.lease.all({ ...due, leaseUntil });
    yield* devices.schedule.all({ deviceId, turn: now });
    const found: DueDelivery[] = [];
    for (const row of rows.length > 1 ? rows.toSorted((a, b) => a.seq - b.seq) : rows) {
      const { seq, attempts, brought_forward: brought } = row;
      found.push({
        id: deliveryId(deviceId, seq),
        deviceId,
        attempts,
        broughtForward: brought === 1,
        ...openEvent(sealer, row),
      });
    }
    return found;
  }

  return {
    claim: ({ now, leaseUntil, limit, exceptDevices, roomOf = () => perDevice }) =>
      database.write(function* () {
        const except = new Set(exceptDevices);
        const found: DueDelivery[] = [];
        for (const { id: deviceId } of yield* queries.devices.all({ now, limit: limit + except.size })) {
          if (found.length >= limit) break;
          if (except.has(deviceId)) continue;
          const room = Math.min(limit - found.length, perDevice, roomOf(deviceId, found.length));
          if (room > 0) found.push(...(yield* claimOf({ deviceId, now, limit: room }, leaseUntil)));
        }
        return found;
      }),
    nextDueAt: async () => (await database.read(() => queries.next.first({})))?.queue_at ?? null,
  };
};

/** At the start of the only process of a database: what a dead one had claimed is due again. */
export const freeLeases = (context: Context): Promise<void> => {
  const { sql, database } = context;
  const queues = queueWriter(context);
  return database.write(function* () {
    const leased = yield* all(
      sql.selectFrom('lanes').select(['device_id', 'order_hash', 'head_seq']).where('leased', '=', 1),
    );
    for (const queue of leased) yield* queues.refresh(queue.device_id, queue.order_hash, queue.head_seq);
    for (const deviceId of new Set(leased.map((queue) => queue.device_id))) yield* queues.reschedule(deviceId, 0);
  });
};
