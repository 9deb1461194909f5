/** Manual retries: one delivery, or all that have failed. */
import type { Delivery, QueueKey } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { attemptWriter } from './attempts.ts';
import { findDelivery, webhookIdOf } from './deliveries.ts';
import { lockDevice, queueWriter, queuesOf } from './delivery-queues.ts';
import { type SqlBool, sql as text } from 'kysely';
import { type Unit, all, first } from '../base/unit.ts';

const stepSize = 500;

const partsOf = (context: Context) => ({
  context,
  queues: queueWriter(context),
  writeAttempt: attemptWriter(context),
});

type Parts = ReturnType<typeof partsOf>;

/** A failed or delivered one restarts its schedule; a pending one keeps its count. */
function* makePending({ context, queues }: Parts, key: QueueKey, seq: number, now: number): Unit<void> {
  const row = yield* first(
    context.sql
      .updateTable('deliveries')
      .set((e) => ({
        state: 'pending',
        attempts: e.case().when('state', '=', 'pending').then(e.ref('attempts')).else(0).end(),
        next_attempt_at: now,
        delivered_at: null,
        failing_since: null,
        brought_forward: 0,
      }))
      .where((e) => e.and({ device_id: key.deviceId, webhook_id: key.webhookId, seq }))
      .returning('order_hash'),
  );
  if (row !== undefined) yield* queues.refresh({ ...key, orderHash: row.order_hash });
}

/** Successes are stored in the delivery alone, and the next attempt overwrites it. */
function* keepSuccess({ writeAttempt }: Parts, key: QueueKey, seq: number, delivery: Delivery): Unit<void> {
  if (delivery.state !== 'delivered' || delivery.lastAttemptAt === null) return;
  const { lastAttemptAt: at, lastStatus: status, lastError: error, lastResponse: response } = delivery;
  const { lastDurationMs, lastHeaders: headers } = delivery;
  yield* writeAttempt(key, seq, { at, status, durationMs: lastDurationMs ?? 0, error, response, headers });
}

function* retryStep(
  parts: Parts,
  key: QueueKey,
  { since, after, now }: { readonly since: number; readonly after: number; readonly now: number },
): Unit<readonly number[]> {
  const { sql } = parts.context;
  yield* lockDevice({ sql }, key.deviceId);
  const failed = yield* all(
    sql
      .selectFrom('deliveries')
      .select('seq')
      .where((e) => e.and({ device_id: key.deviceId, webhook_id: key.webhookId, state: 'failed' }))
      // Required for the partial index of undelivered rows.
      .where(text<SqlBool>`state <> 'delivered'`)
      .where('seq', '>', after)
      .where('last_attempt_at', '>=', since)
      .orderBy('seq')
      .limit(stepSize),
  );
  for (const { seq } of failed) yield* makePending(parts, key, seq, now);
  yield* parts.queues.reschedule(key, now);
  return failed.map((row) => row.seq);
}

export const deliveryRetry = (context: Context): Pick<Outbox, 'retry' | 'retryFailed'> => {
  const { database } = context;
  const parts = partsOf(context);
  return {
    retry: (deviceId, id, now, webhookId) =>
      database.write(function* () {
        const found = yield* findDelivery(context, deviceId, id, webhookId);
        if (found === null) return null;
        const { key, seq } = found;
        yield* lockDevice(context, key.deviceId);
        const locked = yield* findDelivery(context, key.deviceId, id, key.webhookId);
        if (locked === null) return null;
        yield* keepSuccess(parts, key, seq, locked.delivery);
        yield* makePending(parts, key, seq, now);
        yield* parts.queues.reschedule(key, now);
        return (yield* findDelivery(context, key.deviceId, id, key.webhookId))?.delivery ?? null;
      }),
    retryFailed: async (deviceId, since, now, givenWebhookId) => {
      const webhookId = await database.read(() => webhookIdOf(context, deviceId, givenWebhookId));
      if (webhookId === null) return 0;
      let count = 0;
      for (const key of deviceId === null ? await queuesOf(context, webhookId) : [{ deviceId, webhookId }]) {
        for (let after = 0; ;) {
          const from = { since: since ?? 0, after, now };
          const step = await database.write(() => retryStep(parts, key, from));
          count += step.length;
          if (step.length < stepSize) break;
          after = step.at(-1)!;
        }
      }
      return count;
    },
  };
};
