/** Records what came of attempts to post, and moves the lanes on. */
import type { AttemptResult, DeliveryState } from '../domain/delivery.ts';
import type { Outbox } from '../domain/stores.ts';
import type { Context } from './context.ts';
import type { FreshLane } from './fresh-lanes.ts';
import { seqOf } from './ids.ts';
import { type LaneWriter, laneWriter } from './lanes.ts';
import { type DeliveryDetail, sealDetail } from './rows.ts';
import type { SealedJson } from './seal.ts';
import { type Unit, prepare } from './unit.ts';

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
};

const recorded = (sql: Context['sql'], p: Outcome) =>
  sql
    .updateTable('deliveries')
    .set({
      state: p.state,
      attempts: p.attempts,
      next_attempt_at: p.nextAttemptAt,
      delivered_at: p.deliveredAt,
      last_attempt_at: p.at,
      last_status: p.status,
      last_duration_ms: p.durationMs,
      last_detail: p.detail,
    })
    .where('device_id', '=', p.deviceId)
    .where('seq', '=', p.seq);

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
  deliveryOfLane: prepare((p: Outcome) => recorded(sql, p).returning('order_hash')),
});

type Queries = ReturnType<typeof queriesOf>;

interface Parts {
  readonly context: Context;
  readonly queries: Queries;
  readonly lanes: LaneWriter;
}

/** A lane that is claimed from without the database, after the record of `seq`; without a head it has no row any more. */
interface Advanced {
  readonly lane: FreshLane;
  readonly seq: number;
  readonly row: { readonly head: number; readonly dueAt: number } | null;
}

/** The hash of its lane, which is known when it was claimed here; undefined when the delivery is gone. */
function* recordOne(
  { context, queries }: Parts,
  seq: number,
  result: AttemptResult,
  lane: FreshLane | undefined,
): Unit<string | undefined> {
  const { deviceId, state, at } = result;
  const outcome = {
    deviceId,
    seq,
    state,
    attempts: result.attempts,
    nextAttemptAt: state === 'pending' ? (result.nextAttemptAt ?? at) : null,
    deliveredAt: state === 'delivered' ? at : null,
    at,
    status: result.status,
    durationMs: result.durationMs,
    detail: sealDetail(context.seal, deviceId, seq, { error: result.error, response: result.response }),
  };
  if (lane === undefined) return (yield* queries.deliveryOfLane.first(outcome))?.order_hash;
  return (yield* queries.delivery.changed(outcome)) ? lane.orderHash : undefined;
}

function* recordHealth({ queries }: Parts, deviceId: number, results: readonly AttemptResult[]): Unit<void> {
  const last = results.findLast(({ state }) => state === 'delivered');
  const failure = results.slice(last === undefined ? 0 : results.indexOf(last) + 1).at(0);
  if (last !== undefined) yield* queries.succeeded.all({ deviceId, at: last.at });
  if (failure !== undefined) yield* queries.failing.all({ deviceId, at: failure.at });
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

function* recordDevice(parts: Parts, deviceId: number, results: readonly AttemptResult[]): Unit<Advanced[]> {
  const { context, lanes } = parts;
  yield* recordHealth(parts, deviceId, results);
  const finished = new Map<string, number>();
  for (const result of results) {
    const lane = context.fresh?.claimedLane(result.id);
    const seq = lane?.taken?.entry.seq ?? seqOf('dlv', deviceId, result.id);
    const orderHash = seq === null ? undefined : yield* recordOne(parts, seq, result, lane);
    if (orderHash !== undefined) finished.set(orderHash, seq!);
  }
  const now = Math.max(...results.map((result) => result.at));
  const advanced: Advanced[] = [];
  for (const [orderHash, seq] of finished) {
    const one = yield* advance(parts, deviceId, orderHash, seq);
    if (one === null) yield* lanes.refresh(deviceId, orderHash, seq);
    else advanced.push(one);
  }
  if (advanced.length < finished.size || finished.size === 0) yield* lanes.reschedule(deviceId, now);
  return advanced;
}

function* recordAll(parts: Parts, results: readonly AttemptResult[]): Unit<Advanced[]> {
  const byDevice = Map.groupBy(results, (result) => result.deviceId);
  const advanced: Advanced[] = [];
  // In the order of the ids: two processes that record at once do not wait for each other in a circle.
  for (const deviceId of [...byDevice.keys()].sort((a, b) => a - b)) {
    advanced.push(...(yield* recordDevice(parts, deviceId, byDevice.get(deviceId)!)));
  }
  return advanced;
}

export const recorder = (context: Context): Outbox['record'] => {
  const { database, fresh } = context;
  const parts = { context, queries: queriesOf(context), lanes: laneWriter(context) };
  return async (results) => {
    for (const { id, state } of results) if (state !== 'delivered') fresh?.failed(id);
    await database.write(
      () => recordAll(parts, results),
      (advanced) => {
        for (const { lane, seq, row } of advanced) fresh?.moveOn(lane, seq, row);
      },
    );
  };
};
