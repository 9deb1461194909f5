/** Claims due deliveries, each with the webhook that it goes to. */
import { type SqlBool, sql as text } from 'kysely';
import { type DueDelivery, type QueueKey, freshLeaseMs } from '../../domain/delivery.ts';
import type { Target } from '../../domain/webhooks/webhook.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { deliveryId } from '../base/ids.ts';
import { type Unit, all, prepare, numbersIn } from '../base/unit.ts';
import { openEvent } from '../sealing/rows.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { type QueueWriter, queueWriter } from './delivery-queues.ts';
import { releaseExpired } from './fresh.ts';
import { brought, webhookColumns, webhookOf } from './tables.ts';

const perQueue = 32;
/** Events of one claim are read and opened together. */
const maxClaimed = 256;

const ofWebhook = webhookColumns.map((column) => `w.${column}` as const);

type Due = {
  readonly now: number;
  readonly limit: number;
  readonly exceptWebhooks: string;
  readonly exceptUsers: string;
};

type Claim = QueueKey & { readonly now: number; readonly limit: number };
type Rest = QueueKey & { readonly orderHash: string; readonly after: number; readonly limit: number };

/** Longest due first. On a shared database, locked ones are skipped. */
const dueQuery = ({ sql, database }: Context) =>
  prepare((p: Due) =>
    sql
      .selectFrom('webhook_queues as o')
      .innerJoin('webhooks as w', 'w.id', 'o.webhook_id')
      .select(['o.device_id as of_device', ...ofWebhook])
      .where('o.due_at', '<=', p.now)
      .where('w.enabled', '=', 1)
      .where('w.disabled_at', 'is', null)
      .where(text<SqlBool>`o.webhook_id not in ${numbersIn(database, p.exceptWebhooks)}`)
      .where(text<SqlBool>`w.user_id not in ${numbersIn(database, p.exceptUsers)}`)
      .orderBy('o.due_at')
      .orderBy('o.device_id')
      .orderBy('o.webhook_id')
      .limit(p.limit)
      .$if(database.shared, (shared) =>
        shared.innerJoin('devices as v', 'v.id', 'o.device_id').forUpdate('v').skipLocked(),
      ),
  );

const queueQueries = ({ sql }: Context) => {
  const dueQueues = (p: Claim) =>
    sql
      .selectFrom('delivery_queues as q')
      .where((e) => e.and({ 'q.device_id': p.deviceId, 'q.webhook_id': p.webhookId }))
      .where('q.due_at', '<=', p.now)
      .orderBy('q.due_at')
      .orderBy('q.head_seq')
      .limit(p.limit);
  return {
    heads: prepare((p: Claim) =>
      dueQueues(p)
        .innerJoin('deliveries as d', (j) =>
          j
            .onRef('d.device_id', '=', 'q.device_id')
            .onRef('d.webhook_id', '=', 'q.webhook_id')
            .onRef('d.seq', '=', 'q.head_seq'),
        )
        .innerJoin('events as e', (j) => j.onRef('e.device_id', '=', 'q.device_id').onRef('e.seq', '=', 'q.head_seq'))
        .select(['e.device_id', 'e.seq', 'e.at', 'e.kind', 'e.data', 'd.attempts', 'd.brought_forward', 'd.order_hash'])
        .select((e) => {
          const others = e
            .selectFrom('deliveries as o')
            .select('o.seq')
            .whereRef('o.device_id', '=', 'd.device_id')
            .whereRef('o.webhook_id', '=', 'd.webhook_id')
            .whereRef('o.order_hash', '=', 'd.order_hash')
            .whereRef('o.seq', '>', 'd.seq')
            .where('o.next_attempt_at', 'is not', null);
          return e.exists(others).as('is_followed');
        }),
    ),
    rest: prepare((p: Rest) =>
      sql
        .selectFrom('deliveries as d')
        .innerJoin('events as e', (j) => j.onRef('e.device_id', '=', 'd.device_id').onRef('e.seq', '=', 'd.seq'))
        .select(['e.device_id', 'e.seq', 'e.at', 'e.kind', 'e.data', 'd.attempts', 'd.brought_forward'])
        .select('d.next_attempt_at')
        .where((e) => e.and({ 'd.device_id': p.deviceId, 'd.webhook_id': p.webhookId, 'd.order_hash': p.orderHash }))
        .where('d.next_attempt_at', 'is not', null)
        .where('d.seq', '>', p.after)
        .orderBy('d.seq')
        .limit(p.limit),
    ),
    /** From a subquery: with its own condition on `due_at` the update would scan all that are due. */
    lease: prepare((p: Claim & { readonly leaseUntil: number }) =>
      sql
        .updateTable('delivery_queues')
        .set({ due_at: p.leaseUntil, leased: 1 })
        .where((e) => e.and({ device_id: p.deviceId, webhook_id: p.webhookId }))
        .where('order_hash', 'in', dueQueues(p).select('q.order_hash')),
    ),
  };
};

/** When the next webhook is due, the next turn settles, and the oldest fresh delivery was written. */
const nextQuery = ({ sql }: Context) =>
  prepare(() =>
    sql.selectNoFrom((e) => [
      e
        .selectFrom('webhook_queues')
        .select('due_at')
        .where('due_at', 'is not', null)
        .orderBy('due_at')
        .limit(1)
        .as('queues'),
      e
        .selectFrom('chat_turns')
        .select('due_at')
        .where('due_at', 'is not', null)
        .orderBy('due_at')
        .limit(1)
        .as('turns'),
      e
        .selectFrom('deliveries')
        .select('created_at')
        .where('claimed_by', 'is not', null)
        .orderBy('created_at')
        .limit(1)
        .as('fresh'),
    ]),
  );

interface ClaimParts extends Context {
  readonly queries: ReturnType<typeof queueQueries>;
  readonly queues: QueueWriter;
}

interface ClaimRequest extends Omit<Claim, 'webhookId'> {
  readonly leaseUntil: number;
  readonly run: number;
  readonly more: number;
}

/** Deliveries that may be posted after `after`; ends before one that waits for its own next attempt. */
function* restOf({ queries }: ClaimParts, wanted: Rest, now: number): Unit<readonly ClaimedRow[]> {
  const rows = yield* queries.rest.all(wanted);
  const end = rows.findIndex((row) => row.next_attempt_at! > now);
  return end === -1 ? rows : rows.slice(0, end);
}

type ClaimedRow = Parameters<typeof openEvent>[1] & {
  readonly attempts: number;
  readonly brought_forward: number;
};

const dueOf = (sealer: Sealer, webhook: Target, row: ClaimedRow): DueDelivery => {
  const { device_id: deviceId, seq, attempts } = row;
  const id = deliveryId(deviceId, seq, webhook);
  const broughtForward = row.brought_forward === brought.due;
  const key = { deviceId, webhookId: webhook.id, userId: webhook.userId };
  return { id, seq, ...key, webhook, attempts, broughtForward, ...openEvent(sealer, row) };
};

function* claimOf(parts: ClaimParts, request: ClaimRequest, webhook: Target): Unit<DueDelivery[]> {
  const { sealer, queries, queues } = parts;
  const { now, limit, deviceId, leaseUntil, run } = request;
  const key = { deviceId, webhookId: webhook.id };
  const rows = yield* queries.heads.all({ ...key, now, limit });
  yield* queries.lease.all({ ...key, now, limit, leaseUntil });
  yield* queues.reschedule(key, now);
  const found: DueDelivery[] = [];
  let { more } = request;
  for (const row of rows.length > 1 ? rows.toSorted((a, b) => a.seq - b.seq) : rows) {
    const head = dueOf(sealer, webhook, row);
    const count = Math.min(run - 1, more);
    if (!row.is_followed || count <= 0) {
      found.push(head);
      continue;
    }
    const wanted = { ...key, orderHash: row.order_hash, after: row.seq, limit: count };
    const rest = yield* restOf(parts, wanted, now);
    more -= rest.length;
    found.push({ ...head, rest: rest.map((each) => dueOf(sealer, webhook, each)) });
  }
  return found;
}

const unflushed = { isUnflushed: true } as const;

export const claims = (
  context: Context,
  settle: (now: number) => Promise<void>,
): Pick<Outbox, 'claim' | 'nextDueAt'> => {
  const { database, sealer } = context;
  const queries = queueQueries(context);
  const dueOwners = dueQuery(context);
  const next = nextQuery(context);
  const parts: ClaimParts = { ...context, queries, queues: queueWriter(context) };
  let settlesAt = Infinity;
  let expiresAt = Infinity;

  return {
    claim: async ({ now, leaseUntil, limit, exceptWebhooks, exceptUsers = [], ...bounds }) => {
      const { roomOf = () => perQueue, runOf = () => 1 } = bounds;
      if (settlesAt <= now) await settle(now);
      if (expiresAt <= now) await releaseExpired(context, now - freshLeaseMs);
      const due = {
        now,
        limit,
        exceptWebhooks: JSON.stringify(exceptWebhooks),
        exceptUsers: JSON.stringify(exceptUsers),
      };
      return database.write(function* () {
        const found: DueDelivery[] = [];
        let more = maxClaimed - limit;
        for (const { of_device: deviceId, ...row } of yield* dueOwners.all(due)) {
          if (found.length >= limit) break;
          const webhook = webhookOf(sealer, row);
          const { id: webhookId, userId, url } = webhook;
          const room = Math.min(limit - found.length, perQueue, roomOf({ webhookId, userId }, found));
          if (url === null || room <= 0) continue;
          const request = { deviceId, now, limit: room, leaseUntil, run: runOf(webhookId), more };
          const claimed = yield* claimOf(parts, request, { ...webhook, url });
          for (const { rest = [] } of claimed) more -= rest.length;
          found.push(...claimed);
        }
        return found;
      }, unflushed);
    },
    nextDueAt: async () => {
      const row = await database.read(() => next.first({}));
      settlesAt = row?.turns ?? Infinity;
      expiresAt = (row?.fresh ?? Infinity) + freshLeaseMs;
      const dueAt = Math.min(row?.queues ?? Infinity, settlesAt, expiresAt);
      return dueAt === Infinity ? null : dueAt;
    },
  };
};

/** At the start of the only process of a database: frees claims of a dead one. */
export const freeLeases = async (context: Context): Promise<void> => {
  const { sql, database } = context;
  const queues = queueWriter(context);
  const leased = sql
    .selectFrom('delivery_queues')
    .select(['device_id as deviceId', 'webhook_id as webhookId', 'order_hash as orderHash', 'head_seq as head'])
    .where('leased', '=', 1);
  await database.write(function* () {
    for (const { head, ...key } of yield* all(leased)) {
      yield* queues.refresh(key, head);
      yield* queues.reschedule(key, 0);
    }
  });
};
