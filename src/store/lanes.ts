/**
 * The heads of the outbox. A lane is the queue of one (device, order key); its row points at its oldest pending delivery, the
 * only one that may be claimed. A device points (`queue_at`) at its first due lane. So a claim looks at what it
 * takes and never at the rest, however long the queues are.
 * Whoever writes lanes writes the device's row first: it keeps two writers of one device apart on a database with many.
 */
import type { Context } from './context.ts';
import { type Unit, prepare } from './unit.ts';

export interface LaneWriter {
  /** Adds a delivery that is due now at the end of its lane. */
  enqueue(deviceId: number, seq: number, orderKey: string, now: number): Unit<void>;
  /** Lets the device be looked at from `at` on. */
  wake(deviceId: number, at: number): Unit<void>;
  /** Points a lane at its oldest pending delivery again, or removes it when there is none. */
  refresh(deviceId: number, orderHash: string, finished?: number): Unit<void>;
  /** Sets `queue_at` to the first due lane, though not before `turn`, so that busy devices take turns. */
  reschedule(deviceId: number, turn: number): Unit<void>;
}

const deliveryQueries = ({ sql }: Context) => ({
  insert: prepare((p: { deviceId: number; seq: number; orderHash: string; now: number }) =>
    sql.insertInto('deliveries').values({
      device_id: p.deviceId,
      seq: p.seq,
      order_hash: p.orderHash,
      state: 'pending',
      attempts: 0,
      next_attempt_at: p.now,
      created_at: p.now,
    }),
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

const laneQueries = ({ sql }: Context) => ({
  insert: prepare((p: { deviceId: number; orderHash: string; seq: number; now: number }) =>
    sql
      .insertInto('lanes')
      .values({ device_id: p.deviceId, order_hash: p.orderHash, head_seq: p.seq, due_at: p.now, leased: 0 })
      .onConflict((c) => c.columns(['device_id', 'order_hash']).doNothing()),
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

export const laneWriter = (context: Context): LaneWriter => {
  const deliveries = deliveryQueries(context);
  const lanes = laneQueries(context);
  const devices = deviceQueries(context);
  return {
    *enqueue(deviceId, seq, orderKey, now) {
      const orderHash = context.seal.lookup('order', deviceId, orderKey);
      yield* deliveries.insert.all({ deviceId, seq, orderHash, now });
      yield* lanes.insert.all({ deviceId, orderHash, seq, now });
    },
    *wake(deviceId, at) {
      yield* devices.wake.all({ deviceId, at });
    },
    *refresh(deviceId, orderHash, finished = 0) {
      const head = yield* deliveries.oldest.first({ deviceId, orderHash });
      if (head === undefined) yield* lanes.delete.all({ deviceId, orderHash });
      else yield* lanes.put.all({ deviceId, orderHash, seq: head.seq, dueAt: head.next_attempt_at!, finished });
    },
    *reschedule(deviceId, turn) {
      const next = yield* lanes.firstDue.first({ deviceId });
      yield* devices.schedule.all({ deviceId, at: next === undefined ? null : Math.max(next.due_at, turn) });
    },
  };
};
