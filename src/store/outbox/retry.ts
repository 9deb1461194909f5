/** Manual retries: one delivery, or all that have failed. */
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { attemptWriter } from './attempts.ts';
import { findDelivery } from './deliveries.ts';
import { seqOf } from '../events/ids.ts';
import { type QueueWriter, queueWriter } from './delivery-queues.ts';
import { type Unit, all, first } from '../unit.ts';

const stepSize = 500;

interface Retry {
  readonly context: Context;
  readonly sql: Context['sql'];
  readonly queues: QueueWriter;
  readonly writeAttempt: ReturnType<typeof attemptWriter>;
}

/** A success is stored in the delivery alone, where the next attempt would overwrite it. */
function* keepSuccess({ context, writeAttempt }: Retry, deviceId: number, seq: number): Unit<void> {
  const delivery = yield* findDelivery(context, deviceId, seq);
  if (delivery?.state !== 'delivered' || delivery.lastAttemptAt === null) return;
  const { lastAttemptAt: at, lastStatus: status, lastError: error, lastResponse: response } = delivery;
  yield* writeAttempt(deviceId, seq, { at, status, durationMs: delivery.lastDurationMs ?? 0, error, response });
}

/** A failed or delivered one restarts its schedule; a pending one keeps its count. */
function* makePending(retry: Retry, deviceId: number, seq: number, now: number): Unit<boolean> {
  const { sql, queues } = retry;
  yield* keepSuccess(retry, deviceId, seq);
  const row = yield* first(
    sql
      .updateTable('deliveries')
      .set((e) => ({
        state: 'pending',
        attempts: e.case().when('state', '=', 'pending').then(e.ref('attempts')).else(0).end(),
        next_attempt_at: now,
        delivered_at: null,
        failing_since: null,
        brought_forward: 0,
      }))
      .where('device_id', '=', deviceId)
      .where('seq', '=', seq)
      .returning('order_hash'),
  );
  if (row === undefined) return false;
  yield* queues.refresh(deviceId, row.order_hash);
  return true;
}

/** Locks the device's row, as every writer of its queues does (`delivery-queues.ts`). */
export const lockDevice = ({ sql }: Pick<Retry, 'sql'>, deviceId: number): Unit<unknown> => {
  const query = sql.updateTable('devices').set((e) => ({ event_seq: e.ref('event_seq') }));
  return all(query.where('id', '=', deviceId));
};

function* retryStep(
  retry: Retry,
  deviceId: number,
  since: number,
  after: number,
  now: number,
): Unit<readonly number[]> {
  const { sql, queues } = retry;
  yield* lockDevice(retry, deviceId);
  const failed = yield* all(
    sql
      .selectFrom('deliveries')
      .select('seq')
      .where('device_id', '=', deviceId)
      .where('state', '=', 'failed')
      .where('seq', '>', after)
      .where('last_attempt_at', '>=', since)
      .orderBy('seq')
      .limit(stepSize),
  );
  for (const { seq } of failed) yield* makePending(retry, deviceId, seq, now);
  yield* queues.reschedule(deviceId, now);
  return failed.map((row) => row.seq);
}

export const deliveryRetry = (context: Context): Pick<Outbox, 'retry' | 'retryFailed'> => {
  const { sql, database } = context;
  const queues = queueWriter(context);
  const own = { context, sql, queues, writeAttempt: attemptWriter(context) };

  return {
    retry: async (deviceId, id, now) => {
      const seq = seqOf('dlv', deviceId, id);
      if (seq === null) return null;
      return database.write(function* () {
        yield* lockDevice(own, deviceId);
        if (!(yield* makePending(own, deviceId, seq, now))) return null;
        yield* queues.reschedule(deviceId, now);
        return yield* findDelivery(context, deviceId, seq);
      });
    },
    retryFailed: async (deviceId, since, now) => {
      let count = 0;
      let after = 0;
      for (;;) {
        const from = after;
        const step = await database.write(() => retryStep(own, deviceId, since ?? 0, from, now));
        count += step.length;
        if (step.length < stepSize) return count;
        after = step.at(-1)!;
      }
    },
  };
};
