/** Retention of deliveries: whether an old event still waits for one, and what goes with an event. */
import type { ExpressionBuilder } from 'kysely';
import type { Context } from '../base/context.ts';
import { queueWriter } from './delivery-queues.ts';
import type { Schema } from '../base/schema.ts';
import { type Unit, prepare } from '../base/unit.ts';
import { dropping } from '../base/statements.ts';

interface EventKey extends Readonly<Record<string, unknown>> {
  readonly device_id: number;
  readonly seq: number;
}

const queriesOf = ({ sql }: Context) => ({
  remove: prepare((p: EventKey) =>
    sql
      .deleteFrom('deliveries')
      .where('device_id', '=', p.device_id)
      .where('seq', '=', p.seq)
      .returning(['webhook_id', 'state', 'order_hash', 'last_attempt_at']),
  ),
  removeAttempts: dropping({ sql }, 'attempts', ['device_id', 'webhook_id', 'seq']),
});

export const waitingFor = (
  e: ExpressionBuilder<Pick<Schema, 'deliveries' | 'webhooks'> & { e: { device_id: number; seq: number } }, 'e'>,
) => {
  const undelivered = e
    .selectFrom('deliveries as x')
    .innerJoin('webhooks as w', 'w.id', 'x.webhook_id')
    .select('x.seq')
    .whereRef('x.device_id', '=', 'e.device_id')
    .whereRef('x.seq', '=', 'e.seq')
    .where('x.state', '!=', 'delivered');
  const open = undelivered
    .where('x.state', '=', 'pending')
    .where('w.enabled', '=', 1)
    .where('w.disabled_at', 'is', null);
  return [e.exists(open).as('waits'), e.exists(undelivered).as('undelivered')] as const;
};

export const deliveryPruner = (context: Context): ((key: EventKey) => Unit<void>) => {
  const queries = queriesOf(context);
  const queues = queueWriter(context);
  return function* remove(key) {
    const { device_id: deviceId } = key;
    for (const row of yield* queries.remove.all(key)) {
      const webhookId = row.webhook_id;
      if (row.last_attempt_at !== null) yield* queries.removeAttempts.all({ ...key, webhook_id: webhookId });
      if (row.state === 'pending') yield* queues.refresh({ deviceId, webhookId, orderHash: row.order_hash });
    }
  };
};
