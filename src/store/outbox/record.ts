/** Records the outcomes of attempts, and moves the queues on. */
import { type AttemptResult, type DeliveryState, heldBackMs } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import { attemptWriter } from './attempts.ts';
import type { Context } from '../context.ts';
import { seqOf } from '../events/ids.ts';
import { type QueueWriter, queueAt, queueWriter } from './delivery-queues.ts';
import { type DeliveryDetail, detailContext, sealDetail } from '../sealing/rows.ts';
import type { SealedJson } from '../sealing/sealer.ts';
import { type Unit, prepare } from '../unit.ts';

type Outcome = {
  readonly deviceId: number;
  readonly seq: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
  readonly deliveredAt: number | null;
  readonly at: number;
  readonly status: number | null;
  readonly durationMs: number;
  readonly detail: SealedJson<DeliveryDetail> | null;
  /** Start of this attempt if it failed. */
  readonly failingSince: number | null;
};

const recorded = (sql: Context['sql'], p: Outcome) =>
  sql
    .updateTable('deliveries')
    .set((e) => ({
      state: p.state,
      attempts: p.attempts,
      next_attempt_at: p.nextAttemptAt,
      delivered_at: p.deliveredAt,
      last_attempt_at: p.at,
      last_status: p.status,
      last_duration_ms: p.durationMs,
      last_detail: p.detail,
      failing_since: e.fn.coalesce('failing_since', e.cast<number | null>(e.val(p.failingSince), 'bigint')),
      brought_forward: 0,
    }))
    .where('device_id', '=', p.deviceId)
    .where('seq', '=', p.seq);

/** An endpoint without a success for this long was down: with the next success, what waits for it is due at once. */
const outageMs = 60_000;

const queriesOf = ({ sql, database }: Context) => ({
  /** Locks the device's row, as every writer of its queues does. */
  health: prepare((p: { deviceId: number }) =>
    sql
      .selectFrom('devices')
      .select('failing_since')
      .where('id', '=', p.deviceId)
      .$if(database.shared, (query) => query.forUpdate()),
  ),
  /** `failureAt`: the first failure after the last success. */
  settle: prepare((p: { deviceId: number; successAt: number | null; failureAt: number | null; turn: number }) =>
    sql
      .updateTable('devices')
      .set((e) => {
        const success = e.cast<number | null>(e.val(p.successAt), 'bigint');
        const failure = e.cast<number | null>(e.val(p.failureAt), 'bigint');
        const since = e.case().when(success, 'is', null).then(e.ref('failing_since')).end();
        return {
          last_success_at: e.fn.coalesce(success, 'last_success_at'),
          failing_since: e.fn.coalesce(since, failure),
          queue_at: queueAt(e, p.turn),
        };
      })
      .where('id', '=', p.deviceId),
  ),
  delivery: prepare((p: Outcome) => recorded(sql, p).returning(['order_hash', 'failing_since', 'late'])),
  leaveQueue: prepare((p: { deviceId: number; seq: number; orderHash: string }) =>
    sql
      .updateTable('deliveries')
      .set({ order_hash: p.orderHash, late: 1 })
      .where('device_id', '=', p.deviceId)
      .where('seq', '=', p.seq),
  ),
});

type Queries = ReturnType<typeof queriesOf>;

interface Parts {
  readonly context: Context;
  readonly queries: Queries;
  readonly queues: QueueWriter;
  readonly writeAttempt: ReturnType<typeof attemptWriter>;
}

type Recorded = { readonly order_hash: string; readonly failing_since: number | null; readonly late: number };

/**
 * A delivery that fails holds back its chat for two minutes at most (docs/spec/webhooks.md, Order): when its next attempt comes later,
 * it leaves the queue of its chat for one of its own. Returns the hashes of the queues that have changed.
 */
function* queuesAfter({ context, queries }: Parts, seq: number, result: AttemptResult, row: Recorded): Unit<string[]> {
  const { deviceId, nextAttemptAt } = result;
  const { order_hash: orderHash, failing_since: since, late } = row;
  if (nextAttemptAt === null || since === null || late === 1 || nextAttemptAt <= since + heldBackMs) return [orderHash];
  const own = context.sealer.lookup('order', deviceId, `late/${seq}`);
  yield* queries.leaveQueue.all({ deviceId, seq, orderHash: own });
  return [orderHash, own];
}

/** Returns the hashes of the queues that have changed: none when the delivery is gone. */
function* recordOne(parts: Parts, seq: number, result: AttemptResult): Unit<readonly string[]> {
  const { context, queries, writeAttempt } = parts;
  const { deviceId, state, at, durationMs, error, response } = result;
  const outcome = {
    deviceId,
    seq,
    state,
    attempts: result.attempts,
    nextAttemptAt: state === 'pending' ? (result.nextAttemptAt ?? at) : null,
    deliveredAt: state === 'delivered' ? at : null,
    at,
    status: result.status,
    durationMs,
    // Most endpoints answer a success without a body.
    detail:
      error === null && !response
        ? null
        : sealDetail(context.sealer, { error, response }, detailContext(deviceId, seq)),
    failingSince: state === 'delivered' ? null : at - durationMs,
  };
  const row = yield* queries.delivery.first(outcome);
  if (row === undefined) return [];
  if (state === 'delivered') return [row.order_hash];
  yield* writeAttempt(deviceId, seq, result);
  return yield* queuesAfter(parts, seq, result, row);
}

/** Returns whether the endpoint has recovered. */
function* recordDevice(parts: Parts, deviceId: number, results: readonly AttemptResult[]): Unit<boolean> {
  const { queries, queues } = parts;
  const since = (yield* queries.health.first({ deviceId }))?.failing_since ?? null;
  const finished = new Map<string, number>();
  let [successAt, failureAt, turn]: [number | null, number | null, number] = [null, null, 0];
  for (const result of results) {
    const seq = seqOf('dlv', deviceId, result.id);
    if (seq !== null) for (const orderHash of yield* recordOne(parts, seq, result)) finished.set(orderHash, seq);
    if (result.state === 'delivered') [successAt, failureAt] = [result.at, null];
    else failureAt ??= result.at;
    turn = Math.max(turn, result.at);
  }
  for (const [orderHash, seq] of finished) yield* queues.refresh(deviceId, orderHash, seq);
  yield* queries.settle.all({ deviceId, successAt, failureAt, turn });
  return successAt !== null && since !== null && successAt - since >= outageMs;
}

export const recorder = (context: Context): Outbox['record'] => {
  const parts = {
    context,
    queries: queriesOf(context),
    queues: queueWriter(context),
    writeAttempt: attemptWriter(context),
  };
  return (results) =>
    context.database.write(function* () {
      const byDevice = new Map<number, AttemptResult[]>();
      for (const result of results) {
        const { deviceId } = result;
        const ofDevice = byDevice.get(deviceId) ?? [];
        ofDevice.push(result);
        byDevice.set(deviceId, ofDevice);
      }
      const recovered: number[] = [];
      // In the order of the ids, so that two processes that record at once cannot deadlock.
      for (const deviceId of Float64Array.from(byDevice.keys()).sort()) {
        if (yield* recordDevice(parts, deviceId, byDevice.get(deviceId)!)) recovered.push(deviceId);
      }
      return recovered;
    });
};
