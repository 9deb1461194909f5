/** Records what came of attempts to post, and moves the lanes on. */
import { type AttemptResult, type DeliveryState, heldBackMs } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import { attemptWriter } from './attempts.ts';
import type { Context } from '../context.ts';
import type { FreshLane } from './fresh-queues.ts';
import { seqOf } from '../events/ids.ts';
import { type LaneWriter, laneWriter } from './delivery-queues.ts';
import { type DeliveryDetail, detailContext, sealDetail } from '../sealing/rows.ts';
import type { SealedJson } from '../sealing/seal.ts';
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
  /** When this attempt began, where it failed. */
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

const queriesOf = ({ sql }: Context) => ({
  succeeded: prepare((p: { deviceId: number; at: number }) =>
    sql.updateTable('devices').set({ last_success_at: p.at, failing_since: null }).where('id', '=', p.deviceId),
  ),
  failing: prepare((p: { deviceId: number; at: number }) =>
    sql
      .updateTable('devices')
      .set((e) => ({ failing_since: e.fn.coalesce('failing_since', e.val(p.at)) }))
      .where('id', '=', p.deviceId),
  ),
  delivery: prepare((p: Outcome) => recorded(sql, p)),
  /** The same where its lane is not known. */
  deliveryOfLane: prepare((p: Outcome) => recorded(sql, p).returning(['order_hash', 'failing_since', 'late'])),
  leaveLane: prepare((p: { deviceId: number; seq: number; orderHash: string }) =>
    sql
      .updateTable('deliveries')
      .set({ order_hash: p.orderHash, late: 1 })
      .where('device_id', '=', p.deviceId)
      .where('seq', '=', p.seq),
  ),
  failingSince: prepare((p: { deviceId: number }) =>
    sql.selectFrom('devices').select('failing_since').where('id', '=', p.deviceId),
  ),
});

type Queries = ReturnType<typeof queriesOf>;

interface Parts {
  readonly context: Context;
  readonly queries: Queries;
  readonly lanes: LaneWriter;
  readonly writeAttempt: ReturnType<typeof attemptWriter>;
}

/** A lane that is claimed from without the database, after the record of `seq`; without a head it has no row any more. */
interface Advanced {
  readonly lane: FreshLane;
  readonly seq: number;
  readonly row: { readonly head: number; readonly dueAt: number } | null;
}

type Recorded = { readonly order_hash: string; readonly failing_since: number | null; readonly late: number };

/**
 * A delivery that fails holds back its chat for two minutes at most (docs/spec/webhooks.md, Order): when its next attempt comes later,
 * it leaves the lane of its chat for one of its own. The hashes of the lanes that have changed.
 */
function* lanesAfter({ context, queries }: Parts, seq: number, result: AttemptResult, row: Recorded): Unit<string[]> {
  const { deviceId, nextAttemptAt } = result;
  const { order_hash: orderHash, failing_since: since, late } = row;
  if (nextAttemptAt === null || since === null || late === 1 || nextAttemptAt <= since + heldBackMs) return [orderHash];
  const own = context.seal.lookup('order', deviceId, `late/${seq}`);
  yield* queries.leaveLane.all({ deviceId, seq, orderHash: own });
  return [orderHash, own];
}

/** The lanes that have changed, of which there are none when the delivery is gone. */
function* recordOne(
  parts: Parts,
  seq: number,
  result: AttemptResult,
  lane: FreshLane | undefined,
): Unit<readonly string[]> {
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
    detail: sealDetail(context.seal, { error, response }, detailContext(deviceId, seq)),
    failingSince: state === 'delivered' ? null : at - durationMs,
  };
  if (lane !== undefined) return (yield* queries.delivery.changed(outcome)) ? [lane.orderHash] : [];
  const row = yield* queries.deliveryOfLane.first(outcome);
  if (row === undefined) return [];
  if (state !== 'delivered') yield* writeAttempt(deviceId, seq, result);
  return yield* lanesAfter(parts, seq, result, row);
}

/** Whether the endpoint has recovered. */
function* recordHealth({ queries }: Parts, deviceId: number, results: readonly AttemptResult[]): Unit<boolean> {
  const last = results.findLast(({ state }) => state === 'delivered');
  const failure = results.slice(last === undefined ? 0 : results.indexOf(last) + 1).at(0);
  const since = last === undefined ? null : ((yield* queries.failingSince.first({ deviceId }))?.failing_since ?? null);
  if (last !== undefined) yield* queries.succeeded.all({ deviceId, at: last.at });
  if (failure !== undefined) yield* queries.failing.all({ deviceId, at: failure.at });
  return last !== undefined && since !== null && last.at - since >= outageMs;
}

/** Null: the lane is the database's. */
function* advance({ context, lanes }: Parts, deviceId: number, orderHash: string, seq: number): Unit<Advanced | null> {
  const { fresh, now } = context;
  const lane = fresh?.find(deviceId, orderHash);
  if (fresh === null || lane === undefined) return null;
  const next = fresh.headAfter(lane, seq);
  if (next === null && lane.more) {
    fresh.drop(lane);
    return null;
  }
  const present = now();
  if (next !== null && fresh.isLeased(lane, present))
    return { lane, seq, row: { head: lane.rowHead, dueAt: lane.dueAt } };
  const dueAt = fresh.leaseUntil(present);
  const head = yield* lanes.advance(lane, next, dueAt);
  return { lane, seq, row: head === null ? null : { head, dueAt } };
}

interface Written {
  readonly advanced: readonly Advanced[];
  readonly recovered: boolean;
}

function* recordDevice(parts: Parts, deviceId: number, results: readonly AttemptResult[]): Unit<Written> {
  const { context, lanes } = parts;
  const recovered = yield* recordHealth(parts, deviceId, results);
  const finished = new Map<string, number>();
  for (const result of results) {
    const lane = context.fresh?.claimedLane(result.id);
    const seq = lane?.taken?.entry.seq ?? seqOf('dlv', deviceId, result.id);
    if (seq === null) continue;
    for (const orderHash of yield* recordOne(parts, seq, result, lane)) finished.set(orderHash, seq);
  }
  const now = Math.max(...results.map((result) => result.at));
  const advanced: Advanced[] = [];
  for (const [orderHash, seq] of finished) {
    const one = yield* advance(parts, deviceId, orderHash, seq);
    if (one === null) yield* lanes.refresh(deviceId, orderHash, seq);
    else advanced.push(one);
  }
  if (advanced.length < finished.size || finished.size === 0) yield* lanes.reschedule(deviceId, now);
  return { advanced, recovered };
}

function* recordAll(parts: Parts, results: readonly AttemptResult[]): Unit<ReadonlyMap<number, Written>> {
  const byDevice = Map.groupBy(results, (result) => result.deviceId);
  const written = new Map<number, Written>();
  // In the order of the ids: two processes that record at once do not wait for each other in a circle.
  for (const deviceId of [...byDevice.keys()].sort((a, b) => a - b)) {
    written.set(deviceId, yield* recordDevice(parts, deviceId, byDevice.get(deviceId)!));
  }
  return written;
}

export const recorder = (context: Context): Outbox['record'] => {
  const { database, fresh } = context;
  const parts = {
    context,
    queries: queriesOf(context),
    lanes: laneWriter(context),
    writeAttempt: attemptWriter(context),
  };
  return async (results) => {
    for (const { id, state } of results) if (state !== 'delivered') fresh?.failed(id);
    const written = await database.write(
      () => recordAll(parts, results),
      (devices) => {
        for (const { advanced } of devices.values()) {
          for (const { lane, seq, row } of advanced) fresh?.moveOn(lane, seq, row);
        }
      },
    );
    return [...written].flatMap(([deviceId, { recovered }]) => (recovered ? [deviceId] : []));
  };
};
