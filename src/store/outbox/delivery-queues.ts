/**
 * The heads of the outbox. A delivery queue holds the pending deliveries of one (device, order key); its row in `lanes` names the oldest,
 * the only one that may be claimed. A device's `queue_at` is when its first queue is due. So a claim reads only what it takes, however
 * long the queues are.
 * Writers of queues lock the device's row first, which keeps two of them apart on a shared database.
 */
import type { Context } from '../context.ts';
import { type Unit, prepare, prepareRows } from '../unit.ts';

interface NewDelivery {
  readonly seq: number;
  readonly orderKey: string;
}

export interface QueueWriter {
  /** Appends deliveries that are due now, in the order of the log, and lets the device be looked at. */
  enqueue(deviceId: number, added: readonly NewDelivery[], now: number): Unit<void>;
  /** Points a queue at its oldest pending delivery again, or removes it when there is none. `finished`: the head whose lease is over. */
  refresh(deviceId: number, orderHash: string, finished?: number): Unit<void>;
  /** Sets `queue_at` to the first due queue, but not before `turn`, so that busy devices take turns. */
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

const queueQueries = ({ sql, database }: Context) => ({
  insert: prepareRows((rows: { deviceId: number; seq: number; orderHash: string; now: number }[]) =>
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
  /** A head that is being posted, and is not the one that has come back (`finished`), keeps its lease. */
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

export const queueWriter = (context: Context): QueueWriter => {
  const deliveries = deliveryQueries(context);
  const queues = queueQueries(context);
  const devices = deviceQueries(context);
  return {
    *enqueue(deviceId, added, now) {
      const rows = added.map(({ seq, orderKey }) => {
        return { deviceId, seq, orderHash: context.sealer.lookup('order', deviceId, orderKey), now };
      });
      yield* deliveries.insert.write(rows);
      const heads = new Map(rows.toReversed().map((row) => [row.orderHash, row]));
      // Queues that were there already have the device looked at in time.
      if ((yield* queues.insert.write([...heads.values()])) > 0) yield* devices.wake.all({ deviceId, at: now });
    },
    *refresh(deviceId, orderHash, finished = 0) {
      const head = yield* deliveries.oldest.first({ deviceId, orderHash });
      if (head === undefined) yield* queues.delete.all({ deviceId, orderHash });
      else yield* queues.put.all({ deviceId, orderHash, seq: head.seq, dueAt: head.next_attempt_at!, finished });
    },
    *reschedule(deviceId, turn) {
      const next = yield* queues.firstDue.first({ deviceId });
      yield* devices.schedule.all({ deviceId, at: next === undefined ? null : Math.max(next.due_at, turn) });
    },
  };
};
