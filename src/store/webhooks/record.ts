/** Records the outcomes of attempts, and moves the queues on. */
import type { ExpressionBuilder } from 'kysely';
import {
  type AttemptResult,
  type DeliveryState,
  type QueueKey,
  type Recovery,
  heldBackMs,
} from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import { attemptWriter } from './attempts.ts';
import type { Context } from '../base/context.ts';
import { seqOf } from '../base/ids.ts';
import { brought } from './outbox-tables.ts';
import { type QueueWriter, queueWriter } from './delivery-queues.ts';
import { type ByKind, type QueueTables, byKind, queueAt } from './queues.ts';
import type { Schema } from '../base/schema.ts';
import { type DeliveryDetail, detailContext, sealDetail } from '../sealing/rows.ts';
import type { SealedJson } from '../sealing/sealer.ts';
import { type Unit, prepare } from '../base/unit.ts';

type Outcome = QueueKey & {
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

/** An endpoint without a success for this long was down: with the next success, what waits for it is due at once. Below that no wait is longer. */
const outageMs = 1_000;
/** After so long all of it is due, after less what was not tried early since its last turn: one event that always fails is no outage. */
const longOutageMs = 60_000;

const deliveryQueries = ({ sql }: Context, { deliveries, of }: QueueTables) => ({
  delivery: prepare((p: Outcome) =>
    sql
      .updateTable(deliveries)
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
        brought_forward: e.case().when('brought_forward', '=', brought.due).then(brought.tried).else(brought.no).end(),
      }))
      .where(of(p))
      .where('seq', '=', p.seq)
      .returning(['order_hash', 'failing_since', 'late']),
  ),
  leaveQueue: prepare((p: QueueKey & { seq: number; orderHash: string }) =>
    sql.updateTable(deliveries).set({ order_hash: p.orderHash, late: 1 }).where(of(p)).where('seq', '=', p.seq),
  ),
});

/** The outcomes of some attempts together. `failureAt`: the first failure after the last success. `endedAt`: when the last of them ended. */
type Health = { readonly successAt: number | null; readonly failureAt: number | null; readonly endedAt: number };

type WebhookHealth = Health & { readonly webhookId: number };

const healthAfter = (e: ExpressionBuilder<Schema, 'devices' | 'webhooks'>, { successAt, failureAt }: Health) => {
  const success = e.cast<number | null>(e.val(successAt), 'bigint');
  const failure = e.cast<number | null>(e.val(failureAt), 'bigint');
  const since = e.case().when(success, 'is', null).then(e.ref('failing_since')).end();
  return {
    last_success_at: e.fn.coalesce(success, 'last_success_at'),
    failing_since: e.fn.coalesce(since, failure),
  };
};

const healthQueries = ({ sql, database }: Context) => ({
  /** Locks the device's row, as every writer of its queues does. */
  own: prepare((p: { deviceId: number }) =>
    sql
      .selectFrom('devices')
      .select('failing_since')
      .where('id', '=', p.deviceId)
      .$if(database.shared, (query) => query.forUpdate()),
  ),
  settleOwn: prepare((p: Health & { deviceId: number }) =>
    sql
      .updateTable('devices')
      .set((e) => ({ ...healthAfter(e, p), queue_at: queueAt(e, p.endedAt) }))
      .where('id', '=', p.deviceId),
  ),
  additional: prepare((p: { webhookId: number }) =>
    sql
      .selectFrom('webhooks')
      .select('failing_since')
      .where('id', '=', p.webhookId)
      .$if(database.shared, (query) => query.forUpdate()),
  ),
  settleAdditional: prepare((p: Health & { webhookId: number }) =>
    sql
      .updateTable('webhooks')
      .set((e) => healthAfter(e, p))
      .where('id', '=', p.webhookId),
  ),
});

interface KindParts extends ReturnType<typeof deliveryQueries> {
  readonly queues: QueueWriter;
  readonly writeAttempt: ReturnType<typeof attemptWriter>;
}

interface Parts {
  readonly context: Context;
  readonly health: ReturnType<typeof healthQueries>;
  readonly kinds: ByKind<KindParts>;
}

type Recorded = { readonly order_hash: string; readonly failing_since: number | null; readonly late: number };

/**
 * A delivery that fails holds back its chat for two minutes at most (docs/spec/webhooks.md, Order): when its next attempt comes later,
 * it leaves the queue of its chat for one of its own. Returns the hashes of the queues that have changed.
 */
function* queuesAfter(
  { sealer }: Context,
  { leaveQueue }: KindParts,
  seq: number,
  result: AttemptResult,
  row: Recorded,
): Unit<string[]> {
  const { deviceId, webhookId, nextAttemptAt } = result;
  const { order_hash: orderHash, failing_since: since, late } = row;
  if (nextAttemptAt === null || since === null || late === 1 || nextAttemptAt <= since + heldBackMs) return [orderHash];
  const own = sealer.lookup('order', deviceId, `late/${seq}`);
  yield* leaveQueue.all({ deviceId, webhookId, seq, orderHash: own });
  return [orderHash, own];
}

/** Returns the hashes of the queues that have changed: none when the delivery is gone. */
function* recordOne(context: Context, kind: KindParts, seq: number, result: AttemptResult): Unit<readonly string[]> {
  const { deviceId, webhookId, state, at, durationMs, error, response, headers = null } = result;
  const outcome = {
    deviceId,
    webhookId,
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
        : sealDetail(context.sealer, { error, response, headers }, detailContext(deviceId, seq, webhookId)),
    failingSince: state === 'delivered' ? null : at - durationMs,
  };
  const row = yield* kind.delivery.first(outcome);
  if (row === undefined) return [];
  if (state === 'delivered') return [row.order_hash];
  yield* kind.writeAttempt(result, seq, result);
  return yield* queuesAfter(context, kind, seq, result, row);
}

/** The recovery of an endpoint, with which an outage ends; null: there was none. */
const recoveryOf = (endpoint: number, since: number | null | undefined, successAt: number | null): Recovery[] => {
  const downMs = successAt === null || since == null ? 0 : successAt - since;
  return downMs < outageMs ? [] : [{ endpoint, wasLong: downMs >= longOutageMs }];
};

/** Records the attempts of a device's queues; those to its own webhook have `webhookId` 0. Returns the recovery of its own endpoint. */
function* recordDevice(
  parts: Parts,
  deviceId: number,
  results: readonly AttemptResult[],
  /** Takes the health of additional webhooks. */
  additional: WebhookHealth[],
): Unit<Recovery[]> {
  const { context, health, kinds } = parts;
  const since = (yield* health.own.first({ deviceId }))?.failing_since;
  const byWebhook = new Map<number, AttemptResult[]>();
  for (const result of results) {
    const ofWebhook = byWebhook.get(result.webhookId);
    if (ofWebhook === undefined) byWebhook.set(result.webhookId, [result]);
    else ofWebhook.push(result);
  }
  let recovered: Recovery[] = [];
  for (const [webhookId, those] of byWebhook) {
    const key = { deviceId, webhookId };
    const kind = webhookId === 0 ? kinds.own : kinds.additional;
    const finished = new Map<string, number>();
    let told: Health = { successAt: null, failureAt: null, endedAt: 0 };
    for (const result of those) {
      const endedAt = Math.max(told.endedAt, result.at);
      if (result.state === 'delivered') told = { successAt: result.at, failureAt: null, endedAt };
      else told = { ...told, failureAt: told.failureAt ?? result.at, endedAt };
      const seq = seqOf('dlv', deviceId, result.id, webhookId);
      if (seq === null) continue;
      for (const orderHash of yield* recordOne(context, kind, seq, result)) finished.set(orderHash, seq);
    }
    for (const [orderHash, seq] of finished) yield* kind.queues.refresh(key, orderHash, seq);
    if (webhookId === 0) {
      yield* health.settleOwn.all({ deviceId, ...told });
      recovered = recoveryOf(deviceId, since, told.successAt);
    } else {
      yield* kind.queues.reschedule(key, told.endedAt);
      additional.push({ webhookId, ...told });
    }
  }
  return recovered;
}

/** Health of additional webhooks: after all devices are locked, and in the order of the ids, so that two processes cannot deadlock. */
function* settleAdditional({ health }: Parts, told: readonly WebhookHealth[]): Unit<Recovery[]> {
  const recovered = new Map<number, Recovery>();
  for (const { webhookId, ...outcome } of told.toSorted((a, b) => a.webhookId - b.webhookId)) {
    const since = (yield* health.additional.first({ webhookId }))?.failing_since;
    yield* health.settleAdditional.all({ webhookId, ...outcome });
    for (const one of recoveryOf(-webhookId, since, outcome.successAt)) recovered.set(webhookId, one);
  }
  return [...recovered.values()];
}

export const recorder = (context: Context): Outbox['record'] => {
  const parts: Parts = {
    context,
    health: healthQueries(context),
    kinds: byKind(context, (kind) => ({
      ...deliveryQueries(context, kind.tables),
      queues: queueWriter(context, kind),
      writeAttempt: attemptWriter(context, kind.tables),
    })),
  };
  return (results) =>
    context.database.write(function* () {
      const byDevice = new Map<number, AttemptResult[]>();
      const additional: WebhookHealth[] = [];
      for (const result of results) {
        const { deviceId } = result;
        const ofDevice = byDevice.get(deviceId) ?? [];
        ofDevice.push(result);
        byDevice.set(deviceId, ofDevice);
      }
      const recovered: Recovery[] = [];
      // In the order of the ids, so that two processes that record at once cannot deadlock.
      for (const deviceId of Float64Array.from(byDevice.keys()).sort()) {
        recovered.push(...(yield* recordDevice(parts, deviceId, byDevice.get(deviceId)!, additional)));
      }
      if (additional.length > 0) recovered.push(...(yield* settleAdditional(parts, additional)));
      return recovered;
    });
};
