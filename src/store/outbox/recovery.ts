/** After the recovery of an endpoint: deliveries that wait for their next attempt become due at once. */
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { queueWriter } from './delivery-queues.ts';
import { lockDevice } from './retry.ts';
import { type Unit, all } from '../unit.ts';

/** Chats in one transaction. */
const stepSize = 500;

function* bringForwardStep(context: Context, deviceId: number, now: number): Unit<number> {
  const { sql } = context;
  yield* lockDevice(context, deviceId);
  const waiting = yield* all(
    sql
      .selectFrom('lanes')
      .select(['order_hash', 'head_seq'])
      .where('device_id', '=', deviceId)
      .where('leased', '=', 0)
      .where('due_at', '>', now)
      .orderBy('due_at')
      .limit(stepSize),
  );
  if (waiting.length === 0) return 0;
  const heads = waiting.map((queue) => queue.head_seq);
  const deliveries = sql.updateTable('deliveries').set({ next_attempt_at: now, brought_forward: 1 });
  yield* all(
    deliveries.where('device_id', '=', deviceId).where('seq', 'in', heads).where('next_attempt_at', 'is not', null),
  );
  const queues = sql.updateTable('lanes').set({ due_at: now }).where('device_id', '=', deviceId);
  yield* all(
    queues.where(
      'order_hash',
      'in',
      waiting.map((queue) => queue.order_hash),
    ),
  );
  yield* queueWriter(context).reschedule(deviceId, now);
  return waiting.length;
}

export const recovery = (context: Context): Pick<Outbox, 'bringForward'> => ({
  async bringForward(deviceId, now) {
    let count = 0;
    for (;;) {
      const moved = await context.database.write(() => bringForwardStep(context, deviceId, now));
      count += moved;
      if (moved < stepSize) return count;
    }
  },
});
