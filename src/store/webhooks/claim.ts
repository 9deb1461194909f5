/** Claims due deliveries, each with the webhook that it goes to. */
import { type SqlBool, sql as text } from 'kysely';
import type { DueDelivery, QueueKey } from '../../domain/delivery.ts';
import type { Target } from '../../domain/webhooks/webhook.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { deliveryId } from '../base/ids.ts';
import { numbersIn } from '../base/numbers-in.ts';
import { type Unit, all, prepare } from '../base/unit.ts';
import { openEvent } from '../sealing/rows.ts';
import { type QueueWriter, queueWriter } from './delivery-queues.ts';
import { brought, webhookColumns, webhookOf } from './tables.ts';

/** Deliveries of one webhook and device in one claim, so that a long backlog takes turns with the others. */
const perQueue = 32;

const ofWebhook = webhookColumns.map((column) => `w.${column}` as const);

type Due = {
  readonly now: number;
  readonly limit: number;
  /** JSON arrays of the ids that are left out. */
  readonly exceptWebhooks: string;
  readonly exceptUsers: string;
};

type Claim = QueueKey & { readonly now: number; readonly limit: number };

const queriesOf = ({ sql, database }: Context) => {
  /** The first due delivery queues. Each statement of a claim finds the same ones, because the claim has locked the device's row. */
  const dueQueues = (p: Claim) =>
    sql
      .selectFrom('delivery_queues as q')
      .where('q.device_id', '=', p.deviceId)
      .where('q.webhook_id', '=', p.webhookId)
      .where('q.due_at', '<=', p.now)
      .orderBy('q.due_at')
      .orderBy('q.head_seq')
      .limit(p.limit);
  return {
    /** Webhooks and devices with due deliveries, the longest due first. On a shared database, those that another writer has locked are skipped. */
    due: prepare((p: Due) =>
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
    ),
    heads: prepare((p: Claim) =>
      dueQueues(p)
        .innerJoin('deliveries as d', (j) =>
          j
            .onRef('d.device_id', '=', 'q.device_id')
            .onRef('d.webhook_id', '=', 'q.webhook_id')
            .onRef('d.seq', '=', 'q.head_seq'),
        )
        .innerJoin('events as e', (j) => j.onRef('e.device_id', '=', 'q.device_id').onRef('e.seq', '=', 'q.head_seq'))
        .select(['e.device_id', 'e.seq', 'e.at', 'e.kind', 'e.data', 'd.attempts', 'd.brought_forward']),
    ),
    /** The queues come from a subquery: with a condition on `due_at` of its own the update would walk all that are due. */
    lease: prepare((p: Claim & { readonly leaseUntil: number }) =>
      sql
        .updateTable('delivery_queues')
        .set({ due_at: p.leaseUntil, leased: 1 })
        .where('device_id', '=', p.deviceId)
        .where('webhook_id', '=', p.webhookId)
        .where('order_hash', 'in', dueQueues(p).select('q.order_hash')),
    ),
  };
};

/** When the first webhook and device is due, and the first turn of a chat settles. */
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
    ]),
  );

interface ClaimParts extends Context {
  readonly queries: ReturnType<typeof queriesOf>;
  readonly queues: QueueWriter;
}

function* claimOf(
  { sealer, queries, queues }: ClaimParts,
  { now, limit, deviceId }: Omit<Claim, 'webhookId'>,
  webhook: Target,
  leaseUntil: number,
): Unit<DueDelivery[]> {
  const key = { deviceId, webhookId: webhook.id };
  const rows = yield* queries.heads.all({ ...key, now, limit });
  yield* queries.lease.all({ ...key, now, limit, leaseUntil });
  yield* queues.reschedule(key, now);
  const found: DueDelivery[] = [];
  for (const row of rows.length > 1 ? rows.toSorted((a, b) => a.seq - b.seq) : rows) {
    const { seq, attempts } = row;
    const id = deliveryId(deviceId, seq, webhook);
    const broughtForward = row.brought_forward === brought.due;
    found.push({ id, ...key, userId: webhook.userId, webhook, attempts, broughtForward, ...openEvent(sealer, row) });
  }
  return found;
}

/** `settle` writes the events of settled chats, which make deliveries of their own. */
export const claims = (
  context: Context,
  settle: (now: number) => Promise<void>,
): Pick<Outbox, 'claim' | 'nextDueAt'> => {
  const { database, sealer } = context;
  const queries = queriesOf(context);
  const next = nextQuery(context);
  const parts: ClaimParts = { ...context, queries, queues: queueWriter(context) };
  /** When the next turn of a chat settles. */
  let settlesAt = Infinity;

  return {
    claim: async ({ now, leaseUntil, limit, exceptWebhooks, exceptUsers = [], roomOf = () => perQueue }) => {
      if (settlesAt <= now) await settle(now);
      const due = {
        now,
        limit,
        exceptWebhooks: JSON.stringify(exceptWebhooks),
        exceptUsers: JSON.stringify(exceptUsers),
      };
      return database.write(function* () {
        const found: DueDelivery[] = [];
        for (const { of_device: deviceId, ...row } of yield* queries.due.all(due)) {
          if (found.length >= limit) break;
          const webhook = webhookOf(sealer, row);
          const { id: webhookId, userId, url } = webhook;
          const room = Math.min(limit - found.length, perQueue, roomOf({ webhookId, userId }, found));
          if (url === null || room <= 0) continue;
          const claim = { deviceId, now, limit: room };
          found.push(...(yield* claimOf(parts, claim, { ...webhook, url }, leaseUntil)));
        }
        return found;
      });
    },
    nextDueAt: async () => {
      const row = await database.read(() => next.first({}));
      settlesAt = row?.turns ?? Infinity;
      const dueAt = Math.min(row?.queues ?? Infinity, settlesAt);
      return dueAt === Infinity ? null : dueAt;
    },
  };
};

/** Makes due again what a dead process had claimed. For the start of the only process of a database. */
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
