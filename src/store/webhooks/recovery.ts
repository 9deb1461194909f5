/** After an endpoint recovers, deliveries waiting for a retry become due at once. */
import type { QueueKey } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { type QueueWriter, lockDevice, queueWriter, queuesOf } from './delivery-queues.ts';
import { brought } from './tables.ts';
import { type Unit, all } from '../base/unit.ts';

const stepSize = 500;

function* bringForwardStep(
  { sql }: Context,
  queues: QueueWriter,
  key: QueueKey,
  { now, untried }: { readonly now: number; readonly untried: boolean },
): Unit<number> {
  const { deviceId, webhookId } = key;
  yield* lockDevice({ sql }, deviceId);
  const waiting = yield* all(
    sql
      .selectFrom('delivery_queues as q')
      .innerJoin('deliveries as d', (j) =>
        j
          .onRef('d.device_id', '=', 'q.device_id')
          .onRef('d.webhook_id', '=', 'q.webhook_id')
          .onRef('d.seq', '=', 'q.head_seq'),
      )
      .select(['q.order_hash', 'q.head_seq'])
      .where((e) => e.and({ 'q.device_id': deviceId, 'q.webhook_id': webhookId, 'q.leased': 0 }))
      .where('q.due_at', '>', now)
      .$if(untried, (query) => query.where('d.brought_forward', '!=', brought.tried))
      .orderBy('q.due_at')
      .limit(stepSize),
  );
  if (waiting.length === 0) return 0;
  const early = sql
    .updateTable('deliveries')
    .set({ next_attempt_at: now, brought_forward: brought.due })
    .where((e) => e.and({ device_id: deviceId, webhook_id: webhookId }))
    .where('next_attempt_at', 'is not', null);
  const heads = waiting.map((queue) => queue.head_seq);
  yield* all(early.where('seq', 'in', heads));
  const hashes = waiting.map((queue) => queue.order_hash);
  const due = sql.updateTable('delivery_queues').set({ due_at: now }).where('device_id', '=', deviceId);
  yield* all(due.where('webhook_id', '=', webhookId).where('order_hash', 'in', hashes));
  yield* queues.reschedule(key, now);
  return waiting.length;
}

export const recovery = (context: Context): Pick<Outbox, 'bringForward'> => {
  const queues = queueWriter(context);
  return {
    async bringForward(webhookId, now, untried = false) {
      let count = 0;
      for (const key of await queuesOf(context, webhookId)) {
        let moved = stepSize;
        while (moved === stepSize) {
          moved = await context.database.write(() => bringForwardStep(context, queues, key, { now, untried }));
          count += moved;
        }
      }
      return count;
    },
  };
};
