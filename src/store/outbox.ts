/** The queue of webhook deliveries as the dispatcher sees it: claim what is due, record what came of it. */
import { sql as raw } from 'kysely';
import type { AttemptResult, DeliveryState, DueDelivery } from '../domain/delivery.ts';
import type { Outbox } from '../domain/stores.ts';
import type { Context } from './context.ts';
import { deliveryReader } from './deliveries.ts';
import { deliveryId, eventId, seqOf } from './ids.ts';
import { laneWriter } from './lanes.ts';
import { deliveryRetry } from './retry.ts';
import { type DeliveryDetail, openEvent, sealDetail } from './rows.ts';
import type { SealedJson } from './seal.ts';
import { type Unit, all, prepare } from './unit.ts';

/** Deliveries of one device in one claim: a device with a million pending takes its turn like the others. */
const perDevice = 32;

const claimQueries = ({ sql, database }: Context) => ({
  // Where others claim, too, each takes the devices that nobody else is just writing to.
  devices: prepare((p: { now: number; limit: number }) =>
    sql
      .selectFrom('devices')
      .select('id')
      .where('queue_at', '<=', p.now)
      .orderBy('queue_at')
      .orderBy('id')
      .limit(p.limit)
      .$if(database.shared, (query) => query.forUpdate().skipLocked()),
  ),
  /** Leases the first due lanes of a device. */
  lease: prepare((p: { deviceId: number; now: number; limit: number; leaseUntil: number }) =>
    sql
      .updateTable('lanes')
      .set({ due_at: p.leaseUntil, leased: 1 })
      .where('device_id', '=', p.deviceId)
      .where('due_at', '<=', p.now)
      .where('order_hash', 'in', (e) =>
        e
          .selectFrom('lanes')
          .select('order_hash')
          .where('device_id', '=', p.deviceId)
          .where('due_at', '<=', p.now)
          .orderBy('due_at')
          .orderBy('head_seq')
          .limit(p.limit),
      )
      .returning('head_seq'),
  ),
  due: prepare((p: { deviceId: number; seq: number }) =>
    sql
      .selectFrom('deliveries as d')
      .innerJoin('events as e', (join) => join.onRef('e.device_id', '=', 'd.device_id').onRef('e.seq', '=', 'd.seq'))
      .select(['e.device_id', 'e.seq', 'e.at', 'e.kind', 'e.data', 'd.attempts'])
      .where('d.device_id', '=', p.deviceId)
      .where('d.seq', '=', p.seq),
  ),
  /** All at once, where each statement is a way to another machine. */
  dueTogether: prepare((p: { deviceId: number; seqs: readonly number[] }) =>
    sql
      .selectFrom('deliveries as d')
      .innerJoin('events as e', (join) => join.onRef('e.device_id', '=', 'd.device_id').onRef('e.seq', '=', 'd.seq'))
      .select(['e.device_id', 'e.seq', 'e.at', 'e.kind', 'e.data', 'd.attempts'])
      .where('d.device_id', '=', p.deviceId)
      .where(raw<boolean>`d.seq = any(${p.seqs}::bigint[])`)
      .orderBy('d.seq'),
  ),
});

const recordQueries = ({ sql }: Context) => ({
  succeeded: prepare((p: { deviceId: number; at: number }) =>
    sql.updateTable('devices').set({ last_success_at: p.at, failing_since: null }).where('id', '=', p.deviceId),
  ),
  failing: prepare((p: { deviceId: number; at: number }) =>
    sql
      .updateTable('devices')
      .set((e) => ({ failing_since: e.fn.coalesce('failing_since', e.val(p.at)) }))
      .where('id', '=', p.deviceId),
  ),
  delivery: prepare(
    (p: {
      deviceId: number;
      seq: number;
      state: DeliveryState;
      attempts: number;
      nextAttemptAt: number | null;
      deliveredAt: number | null;
      at: number;
      status: number | null;
      durationMs: number;
      detail: SealedJson<DeliveryDetail> | null;
    }) =>
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
        .where('seq', '=', p.seq)
        .returning('order_hash'),
  ),
});

const claimer = (context: Context): Outbox['claim'] => {
  const { seal, database, recent } = context;
  const queries = claimQueries(context);
  const lanes = laneWriter(context);

  function* dueOf(deviceId: number, seq: number): Unit<DueDelivery | null> {
    const id = deliveryId(deviceId, seq);
    const fresh = recent.find(eventId(deviceId, seq));
    if (fresh !== undefined) return { id, deviceId, attempts: 0, ...fresh };
    const row = yield* queries.due.first({ deviceId, seq });
    return row === undefined ? null : { id, deviceId, attempts: row.attempts, ...openEvent(seal, row) };
  }

  function* claimOf(deviceId: number, limit: number, now: number, leaseUntil: number): Unit<DueDelivery[]> {
    const claimed: DueDelivery[] = [];
    const heads = yield* queries.lease.all({ deviceId, now, limit, leaseUntil });
    const seqs = heads.map((lane) => lane.head_seq).toSorted((a, b) => a - b);
    if (database.shared) {
      for (const row of yield* queries.dueTogether.all({ deviceId, seqs })) {
        claimed.push({ id: deliveryId(deviceId, row.seq), deviceId, attempts: row.attempts, ...openEvent(seal, row) });
      }
      yield* lanes.reschedule(deviceId, now);
      return claimed;
    }
    for (const seq of seqs) {
      const due = yield* dueOf(deviceId, seq);
      if (due !== null) claimed.push(due);
    }
    yield* lanes.reschedule(deviceId, now);
    return claimed;
  }

  return async ({ now, leaseUntil, limit, exceptDevices, roomOf = () => perDevice }) => {
    const except = new Set(exceptDevices);
    const claim = function* claim(): Unit<DueDelivery[]> {
      const found: DueDelivery[] = [];
      for (const { id } of yield* queries.devices.all({ now, limit: limit + except.size })) {
        if (found.length >= limit) break;
        const room = except.has(id) ? 0 : Math.min(perDevice, limit - found.length, roomOf(id, found.length));
        if (room > 0) found.push(...(yield* claimOf(id, room, now, leaseUntil)));
      }
      return found;
    };
    // From the second attempt on, a delivery is what the database says of it.
    return database.write(claim, (found) => recent.drop(found.map(({ event }) => event.id)));
  };
};

const recorder = (context: Context): Outbox['record'] => {
  const { seal, database } = context;
  const queries = recordQueries(context);
  const lanes = laneWriter(context);

  function* recordOne(seq: number, result: AttemptResult): Unit<void> {
    const { deviceId, state, at } = result;
    const row = yield* queries.delivery.first({
      deviceId,
      seq,
      state,
      attempts: result.attempts,
      nextAttemptAt: state === 'pending' ? (result.nextAttemptAt ?? at) : null,
      deliveredAt: state === 'delivered' ? at : null,
      at,
      status: result.status,
      durationMs: result.durationMs,
      detail: sealDetail(seal, deviceId, seq, { error: result.error, response: result.response }),
    });
    if (row !== undefined) yield* lanes.refresh(deviceId, row.order_hash, seq);
  }

  function* recordDevice(deviceId: number, results: readonly AttemptResult[]): Unit<void> {
    const last = results.findLast(({ state }) => state === 'delivered');
    const failure = results.slice(last === undefined ? 0 : results.indexOf(last) + 1).at(0);
    if (last !== undefined) yield* queries.succeeded.all({ deviceId, at: last.at });
    if (failure !== undefined) yield* queries.failing.all({ deviceId, at: failure.at });
    for (const result of results) {
      const seq = seqOf('dlv', deviceId, result.id);
      if (seq !== null) yield* recordOne(seq, result);
    }
    yield* lanes.reschedule(deviceId, Math.max(...results.map((result) => result.at)));
  }

  return (results) =>
    database.write(function* () {
      const byDevice = Map.groupBy(results, (result) => result.deviceId);
      // In the order of the ids: two processes that record at once do not wait for each other in a circle.
      for (const deviceId of [...byDevice.keys()].sort((a, b) => a - b)) {
        yield* recordDevice(deviceId, byDevice.get(deviceId)!);
      }
    });
};

export const outbox = (context: Context): Outbox => {
  const { sql, database } = context;
  const next = prepare(() =>
    sql.selectFrom('devices').select('queue_at').where('queue_at', 'is not', null).orderBy('queue_at').limit(1),
  );
  return {
    claim: claimer(context),
    record: recorder(context),
    nextDueAt: async () => (await database.read(() => next.first({})))?.queue_at ?? null,
    ...deliveryReader(context),
    ...deliveryRetry(context),
  };
};

/** After a start: what a dead process had claimed is due again. For a database that one process has alone. */
export const freeLeases = (context: Context): Promise<void> => {
  const { sql, database } = context;
  const lanes = laneWriter(context);
  return database.write(function* () {
    const leased = yield* all(
      sql.selectFrom('lanes').select(['device_id', 'order_hash', 'head_seq']).where('leased', '=', 1),
    );
    for (const lane of leased) yield* lanes.refresh(lane.device_id, lane.order_hash, lane.head_seq);
    for (const deviceId of new Set(leased.map((lane) => lane.device_id))) yield* lanes.reschedule(deviceId, 0);
  });
};
