/** Records the outcomes of attempts, and advances the queues. */
import { type SqlBool, sql as text } from 'kysely';
import { LRUCache } from 'lru-cache';
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
import { brought } from './tables.ts';
import { queueWriter } from './delivery-queues.ts';
import { type DeliveryDetail, sealDetail } from '../sealing/rows.ts';
import { contextOf, type SealedJson } from '../sealing/sealer.ts';
import { type Unit, prepare, numbersIn } from '../base/unit.ts';
import { atMost } from '../../domain/at-most.ts';

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
  readonly failingSince: number | null;
};

/** An endpoint without a success for this long was down: its next success makes waiting deliveries due. Shorter waits end by themselves. */
const outageMs = 1_000;
/** After a longer outage everything is brought forward; otherwise only what was not tried early yet: one failing event is no outage. */
const longOutageMs = 60_000;
/** `last_success_at` is written at most this often while nothing fails. */
const successEveryMs = 60_000;
const maxKept = 10_000;

const deliveryQueries = ({ sql }: Context) => ({
  delivery: prepare((p: Outcome) =>
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
        brought_forward: e.case().when('brought_forward', '=', brought.due).then(brought.tried).else(brought.no).end(),
        claimed_by: null,
      }))
      .where((e) => e.and({ device_id: p.deviceId, webhook_id: p.webhookId, seq: p.seq }))
      .returning(['order_hash', 'failing_since', 'late'])
      // Null without a queue.
      .returning((e) =>
        e
          .selectFrom('delivery_queues as q')
          .select((q) => {
            const others = q
              .selectFrom('deliveries as o')
              .select('o.seq')
              .where('o.device_id', '=', p.deviceId)
              .where('o.webhook_id', '=', p.webhookId)
              .whereRef('o.order_hash', '=', 'q.order_hash')
              .where('o.next_attempt_at', 'is not', null)
              .where('o.seq', '!=', p.seq);
            return q.exists(others).as('is_followed');
          })
          .where('q.device_id', '=', p.deviceId)
          .where('q.webhook_id', '=', p.webhookId)
          .whereRef('q.order_hash', '=', 'deliveries.order_hash')
          .as('is_followed'),
      ),
  ),
  leaveQueue: prepare((p: QueueKey & { seq: number; orderHash: string }) =>
    sql
      .updateTable('deliveries')
      .set({ order_hash: p.orderHash, late: 1 })
      .where((e) => e.and({ device_id: p.deviceId, webhook_id: p.webhookId, seq: p.seq })),
  ),
});

const healthQueries = ({ sql, database }: Context) => ({
  /** Ordered by id, so that two processes cannot deadlock. */
  lockDevices: prepare((p: { ids: string }) =>
    sql
      .selectFrom('devices')
      .select('id')
      .where(text<SqlBool>`id in ${numbersIn(database, p.ids)}`)
      .orderBy('id')
      .forUpdate(),
  ),
  /** After all devices are locked, also ordered by id. */
  health: prepare((p: { ids: string }) =>
    sql
      .selectFrom('webhooks')
      .select(['id', 'failing_since', 'last_success_at'])
      .where(text<SqlBool>`id in ${numbersIn(database, p.ids)}`)
      .orderBy('id')
      .$if(database.shared, (query) => query.forUpdate()),
  ),
  setHealth: prepare((p: { id: number; failingSince: number | null; lastSuccessAt: number | null }) =>
    sql
      .updateTable('webhooks')
      .set({ failing_since: p.failingSince, last_success_at: p.lastSuccessAt })
      .where('id', '=', p.id),
  ),
});

interface Parts {
  readonly context: Context;
  readonly queries: ReturnType<typeof deliveryQueries> & ReturnType<typeof healthQueries>;
  readonly queues: ReturnType<typeof queueWriter>;
  readonly writeAttempt: ReturnType<typeof attemptWriter>;
}

interface Recorded {
  readonly order_hash: string;
  readonly failing_since: number | null;
  readonly late: number;
}

/** A failing delivery holds back its chat for two minutes at most (docs/spec/webhooks.md, Order). Returns the hashes of changed queues. */
function* queuesAfter(
  { context, queries }: Parts,
  { deviceId, webhookId, seq, nextAttemptAt }: AttemptResult,
  row: Recorded,
): Unit<readonly string[]> {
  const { order_hash: orderHash, failing_since: since, late } = row;
  if (nextAttemptAt === null || since === null || late === 1 || nextAttemptAt <= since + heldBackMs) return [orderHash];
  const own = context.sealer.lookup('order', deviceId, `late/${seq}`);
  yield* queries.leaveQueue.all({ deviceId, webhookId, seq, orderHash: own });
  return [orderHash, own];
}

interface Moved {
  readonly orderHash: string;
  readonly seq: number;
  readonly isEmpty: boolean;
  readonly isContinued: boolean;
}

/** Empty if the delivery is gone. */
function* recordOne(parts: Parts, result: AttemptResult): Unit<readonly Moved[]> {
  const { deviceId, webhookId, seq, state, at, durationMs, error, response, headers = null } = result;
  const { sealer } = parts.context;
  const isContinued = result.isContinued === true;
  const key = { deviceId, webhookId, seq };
  const context = contextOf('deliveries.last_detail', { device_id: deviceId, webhook_id: webhookId, seq });
  const row = yield* parts.queries.delivery.first({
    ...key,
    state,
    attempts: result.attempts,
    nextAttemptAt: state === 'pending' ? (result.nextAttemptAt ?? at) : null,
    deliveredAt: state === 'delivered' ? at : null,
    at,
    status: result.status,
    durationMs,
    // Most endpoints answer a success without a body.
    detail: error === null && !response ? null : sealDetail(sealer, { error, response, headers }, context),
    failingSince: state === 'delivered' ? null : at - durationMs,
  });
  if (row === undefined) return [];
  // A fresh one, and those behind it are fresh, too.
  if (state === 'delivered' && row.is_followed === null) return [];
  if (state === 'delivered') return [{ orderHash: row.order_hash, seq, isEmpty: !row.is_followed, isContinued }];
  yield* parts.writeAttempt(key, seq, result);
  return (yield* queuesAfter(parts, result, row)).map((orderHash) => ({
    orderHash,
    seq,
    isEmpty: false,
    isContinued,
  }));
}

/** `results`: of one webhook and device. */
function* recordQueue(parts: Parts, results: readonly AttemptResult[]): Unit<void> {
  const { deviceId, webhookId } = results[0]!;
  const key = { deviceId, webhookId };
  const moved = new Map<string, Moved>();
  for (const result of results) {
    for (const queue of yield* recordOne(parts, result)) moved.set(queue.orderHash, queue);
  }
  let isDue = false;
  for (const { orderHash, seq, isEmpty, isContinued } of moved.values()) {
    const queue = { ...key, orderHash };
    if (isContinued && !isEmpty) yield* parts.queues.advance(queue);
    else isDue = !(yield* parts.queues.refresh(queue, seq, isEmpty)) || isDue;
  }
  // Empty or still claimed queues make nothing due earlier. The scheduled time may be too early, which costs one empty claim.
  if (isDue) yield* parts.queues.reschedule(key, Math.max(...results.map(({ at }) => at)));
}

const recoveryOf = (webhookId: number, since: number | null, successAt: number | null): Recovery | null => {
  const downMs = successAt === null || since === null ? 0 : successAt - since;
  return downMs < outageMs ? null : { webhookId, wasLong: downMs >= longOutageMs };
};

function* recordHealth({ queries }: Parts, results: readonly AttemptResult[]): Unit<Recovery[]> {
  const byWebhook = Map.groupBy(results, ({ webhookId }) => webhookId);
  const recovered: Recovery[] = [];
  for (const row of yield* queries.health.all({ ids: JSON.stringify([...byWebhook.keys()]) })) {
    const { id, failing_since: since, last_success_at: lastSuccess } = row;
    const outcomes = byWebhook.get(id)!;
    const success = outcomes.findLastIndex(({ state }) => state === 'delivered');
    const successAt = success === -1 ? null : outcomes[success]!.at;
    const failureAt = outcomes.slice(success + 1)[0]?.at ?? null;
    const failingSince = successAt === null ? (since ?? failureAt) : failureAt;
    const isNews = successAt !== null && successAt >= (lastSuccess ?? -Infinity) + successEveryMs;
    if (failingSince !== since || isNews)
      yield* queries.setHealth.all({ id, failingSince, lastSuccessAt: successAt ?? lastSuccess });
    const recovery = recoveryOf(id, since, successAt);
    if (recovery !== null) recovered.push(recovery);
  }
  return recovered;
}

const unflushed = { isUnflushed: true } as const;

export const recorder = (context: Context): Outbox['record'] => {
  const { database } = context;
  /** Last recorded success per endpoint: another within a minute needs no write. */
  const noted = new LRUCache<number, number>(atMost(maxKept));
  const parts: Parts = {
    context,
    queries: { ...deliveryQueries(context), ...healthQueries(context) },
    queues: queueWriter(context),
    writeAttempt: attemptWriter(context),
  };
  return async (results) => {
    const news: AttemptResult[] = [];
    for (const result of results) {
      const { webhookId, state, at } = result;
      if (state !== 'delivered') noted.delete(webhookId);
      // Other nodes record failures, too.
      if (database.shared || at >= (noted.get(webhookId) ?? -Infinity) + successEveryMs) news.push(result);
    }
    const recovered = await database.write(function* () {
      if (database.shared) {
        const ids = new Set(results.map(({ deviceId }) => deviceId));
        yield* parts.queries.lockDevices.all({ ids: JSON.stringify([...ids]) });
      }
      const byQueues = Map.groupBy(results, ({ deviceId, webhookId }) => `${deviceId}/${webhookId}`);
      for (const those of byQueues.values()) yield* recordQueue(parts, those);
      return news.length === 0 ? [] : yield* recordHealth(parts, news);
    }, unflushed);
    for (const { webhookId, state, at } of news)
      if (state === 'delivered') noted.set(webhookId, at);
      else noted.delete(webhookId);
    return recovered;
  };
};
