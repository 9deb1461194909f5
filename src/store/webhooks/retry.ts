/** Manual retries: one delivery, or all that have failed. */
import type { QueueKey } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { attemptWriter } from './attempts.ts';
import { findDelivery, namedDelivery } from './deliveries.ts';
import { type QueueTables, byKind, kindOf, queuesOf } from './queues.ts';
import { type QueueWriter, queueWriter } from './delivery-queues.ts';
import { type Unit, all, first } from '../base/unit.ts';

const stepSize = 500;

interface Kind {
  readonly tables: QueueTables;
  readonly queues: QueueWriter;
  readonly writeAttempt: ReturnType<typeof attemptWriter>;
}

/** A success is stored in the delivery alone, where the next attempt would overwrite it. */
function* keepSuccess(context: Context, { writeAttempt }: Kind, key: QueueKey, seq: number): Unit<void> {
  const delivery = yield* findDelivery(context, key, seq);
  if (delivery?.state !== 'delivered' || delivery.lastAttemptAt === null) return;
  const { lastAttemptAt: at, lastStatus: status, lastError: error, lastResponse: response } = delivery;
  const { lastDurationMs, lastHeaders: headers } = delivery;
  yield* writeAttempt(key, seq, { at, status, durationMs: lastDurationMs ?? 0, error, response, headers });
}

/** A failed or delivered one restarts its schedule; a pending one keeps its count. */
function* makePending(context: Context, kind: Kind, key: QueueKey, seq: number, now: number): Unit<boolean> {
  const { deliveries, of } = kind.tables;
  yield* keepSuccess(context, kind, key, seq);
  const row = yield* first(
    context.sql
      .updateTable(deliveries)
      .set((e) => ({
        state: 'pending',
        attempts: e.case().when('state', '=', 'pending').then(e.ref('attempts')).else(0).end(),
        next_attempt_at: now,
        delivered_at: null,
        failing_since: null,
        brought_forward: 0,
      }))
      .where(of(key))
      .where('seq', '=', seq)
      .returning('order_hash'),
  );
  if (row === undefined) return false;
  yield* kind.queues.refresh(key, row.order_hash);
  return true;
}

/** Locks the device's row, as every writer of its queues does (`queues.ts`). */
export const lockDevice = ({ sql }: Pick<Context, 'sql'>, deviceId: number): Unit<unknown> => {
  const query = sql.updateTable('devices').set((e) => ({ event_seq: e.ref('event_seq') }));
  return all(query.where('id', '=', deviceId));
};

function* retryStep(
  context: Context,
  kind: Kind,
  key: QueueKey,
  { since, after, now }: { readonly since: number; readonly after: number; readonly now: number },
): Unit<readonly number[]> {
  yield* lockDevice(context, key.deviceId);
  const failed = yield* all(
    context.sql
      .selectFrom(kind.tables.deliveries)
      .select('seq')
      .where(kind.tables.of(key))
      .where('state', '=', 'failed')
      .where('seq', '>', after)
      .where('last_attempt_at', '>=', since)
      .orderBy('seq')
      .limit(stepSize),
  );
  for (const { seq } of failed) yield* makePending(context, kind, key, seq, now);
  yield* kind.queues.reschedule(key, now);
  return failed.map((row) => row.seq);
}

export const deliveryRetry = (context: Context): Pick<Outbox, 'retry' | 'retryFailed'> => {
  const { database } = context;
  const kinds = byKind(context, (kind) => ({
    tables: kind.tables,
    queues: queueWriter(context, kind),
    writeAttempt: attemptWriter(context, kind.tables),
  }));

  return {
    retry: async (deviceId, id, now, webhookId = 0) => {
      const named = namedDelivery(deviceId, id, webhookId);
      if (named === null) return null;
      const { key, seq } = named;
      const kind = kindOf(kinds, webhookId);
      return database.write(function* () {
        yield* lockDevice(context, key.deviceId);
        if (!(yield* makePending(context, kind, key, seq, now))) return null;
        yield* kind.queues.reschedule(key, now);
        return yield* findDelivery(context, key, seq);
      });
    },
    retryFailed: async (deviceId, since, now, webhookId = 0) => {
      const kind = kindOf(kinds, webhookId);
      const keys = deviceId === null ? await queuesOf(context, webhookId) : [{ deviceId, webhookId }];
      let count = 0;
      for (const key of keys) {
        for (let after = 0; ;) {
          const from = { since: since ?? 0, after, now };
          const step = await database.write(() => retryStep(context, kind, key, from));
          count += step.length;
          if (step.length < stepSize) break;
          after = step.at(-1)!;
        }
      }
      return count;
    },
  };
};
