/** After the recovery of an endpoint: deliveries that wait for their next attempt become due at once. */
import type { QueueKey } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { type QueueWriter, queueWriter } from './delivery-queues.ts';
import { type QueueTables, byKind, kindOf, queuesOf } from './queues.ts';
import { brought } from './outbox-tables.ts';
import { lockDevice } from './retry.ts';
import { type Unit, all } from '../base/unit.ts';

/** Chats in one transaction. */
const stepSize = 500;

interface Kind {
  readonly tables: QueueTables;
  readonly queues: QueueWriter;
}

function* bringForwardStep(
  context: Context,
  { tables, queues }: Kind,
  key: QueueKey,
  { now, untried }: { readonly now: number; readonly untried: boolean },
): Unit<number> {
  const { sql } = context;
  const { lanes, deliveries, owner, of } = tables;
  yield* lockDevice(context, key.deviceId);
  const waiting = yield* all(
    sql
      .selectFrom(`${lanes} as q`)
      .innerJoin(`${deliveries} as d`, (j) =>
        owner.reduce(
          (join, column) => join.onRef(`d.${column}`, '=', `q.${column}`),
          j.onRef('d.seq', '=', 'q.head_seq'),
        ),
      )
      .select(['q.order_hash', 'q.head_seq'])
      .where(of(key, 'q'))
      .where('q.leased', '=', 0)
      .where('q.due_at', '>', now)
      .$if(untried, (query) => query.where('d.brought_forward', '!=', brought.tried))
      .orderBy('q.due_at')
      .limit(stepSize),
  );
  if (waiting.length === 0) return 0;
  const heads = waiting.map((queue) => queue.head_seq);
  const early = sql.updateTable(deliveries).set({ next_attempt_at: now, brought_forward: brought.due }).where(of(key));
  yield* all(early.where('seq', 'in', heads).where('next_attempt_at', 'is not', null));
  const hashes = waiting.map((queue) => queue.order_hash);
  yield* all(sql.updateTable(lanes).set({ due_at: now }).where(of(key)).where('order_hash', 'in', hashes));
  yield* queues.reschedule(key, now);
  return waiting.length;
}

export const recovery = (context: Context): Pick<Outbox, 'bringForward'> => {
  const kinds = byKind(context, (kind) => ({ tables: kind.tables, queues: queueWriter(context, kind) }));
  return {
    async bringForward(endpoint, now, untried = false) {
      const own = { deviceId: endpoint, webhookId: 0 };
      let count = 0;
      for (const key of endpoint > 0 ? [own] : await queuesOf(context, -endpoint)) {
        let moved = stepSize;
        while (moved === stepSize) {
          moved = await context.database.write(() =>
            bringForwardStep(context, kindOf(kinds, key.webhookId), key, { now, untried }),
          );
          count += moved;
        }
      }
      return count;
    },
  };
};
