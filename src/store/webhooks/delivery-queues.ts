/**
 * The heads of the outbox. A delivery queue holds the pending deliveries of one (queue, order key); its row in `delivery_queues` names the oldest,
 * the only one that may be claimed. A queue's owner knows when its first delivery is due. So a claim reads only what it takes, however
 * long the queues are.
 */
import type { DueDelivery, QueueKey } from '../../domain/delivery.ts';
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { deliveryId } from '../base/ids.ts';
import { openEvent } from '../sealing/rows.ts';
import { nextSettled } from './turns.ts';
import { brought } from './outbox-tables.ts';
import { type DueOwner, type QueueKind, type QueueTables, byKind, dueAdditional, dueOwn } from './queues.ts';
import { type Unit, all, prepare, prepareRows } from '../base/unit.ts';

export interface NewDelivery {
  readonly seq: number;
  readonly orderKey: string;
  /** 0: the device's own webhook. */
  readonly webhookId: number;
}

type QueuedRow = QueueKey & { readonly seq: number; readonly orderHash: string; readonly now: number };

export interface QueueWriter {
  /** Appends deliveries that are due now, in the order of the log, and lets their queues be looked at. */
  enqueue(deviceId: number, added: readonly NewDelivery[], now: number): Unit<void>;
  /** Points a queue at its oldest pending delivery again, or removes it when there is none. `finished`: the head whose lease is over. */
  refresh(key: QueueKey, orderHash: string, finished?: number): Unit<void>;
  /** Sets `queue_at` (`queues.ts`). */
  reschedule(key: QueueKey, notBefore: number): Unit<void>;
}

const deliveryQueries = ({ sql }: Context, { deliveries, values }: QueueTables) => ({
  insert: prepareRows((rows: QueuedRow[]) =>
    sql.insertInto(deliveries).values(
      rows.map((p) => ({
        ...values(p),
        seq: p.seq,
        order_hash: p.orderHash,
        state: 'pending' as const,
        attempts: 0,
        next_attempt_at: p.now,
        created_at: p.now,
      })),
    ),
  ),
});

type OrderKey = QueueKey & { readonly orderHash: string };

const queueQueries = ({ sql, database }: Context, { deliveries, lanes, owner, values, of }: QueueTables) => {
  const pendingOf = (p: OrderKey) =>
    sql
      .selectFrom(deliveries)
      .where(of(p))
      .where('order_hash', '=', p.orderHash)
      .where('next_attempt_at', 'is not', null);
  return {
    insert: prepareRows((rows: QueuedRow[]) =>
      sql
        .insertInto(lanes)
        .values(rows.map((p) => ({ ...values(p), order_hash: p.orderHash, head_seq: p.seq, due_at: p.now, leased: 0 })))
        .onConflict((c) => c.columns([...owner, 'order_hash']).doNothing())
        .$if(database.shared, (query) => query.returning('head_seq')),
    ),
    /**
     * Points it at its oldest pending delivery; changes nothing where there is none. A head that is being posted, and is not the one that
     * has come back (`finished`), keeps its lease.
     */
    put: prepare((p: OrderKey & { readonly finished: number }) =>
      sql
        .insertInto(lanes)
        .columns([...owner, 'order_hash', 'head_seq', 'due_at', 'leased'])
        .expression(
          pendingOf(p)
            .select((e) => [...owner, 'order_hash', 'seq', 'next_attempt_at', e.lit(0).as('leased')])
            .orderBy('seq')
            .limit(1),
        )
        .onConflict((c) =>
          c
            .columns([...owner, 'order_hash'])
            .doUpdateSet((e) => ({
              head_seq: e.ref('excluded.head_seq'),
              due_at: e.ref('excluded.due_at'),
              leased: 0,
            }))
            .where((e) =>
              e.or([
                e(`${lanes}.leased`, '=', 0),
                e(`${lanes}.head_seq`, '!=', e.ref('excluded.head_seq')),
                e(`${lanes}.head_seq`, '=', p.finished),
              ]),
            ),
        )
        .$if(database.shared, (query) => query.returning('head_seq')),
    ),
    deleteEmpty: prepare((p: OrderKey) =>
      sql
        .deleteFrom(lanes)
        .where(of(p))
        .where('order_hash', '=', p.orderHash)
        .where((e) => e.not(e.exists(pendingOf(p).select('seq')))),
    ),
  };
};

export const queueWriter = (context: Context, { tables, owners }: QueueKind): QueueWriter => {
  const deliveries = deliveryQueries(context, tables);
  const queues = queueQueries(context, tables);
  return {
    *enqueue(deviceId, added, now) {
      const heads = new Map<string, QueuedRow>();
      const keys = new Map<number, QueuedRow>();
      const rows: QueuedRow[] = [];
      for (const { seq, orderKey, webhookId } of added) {
        const orderHash = context.sealer.lookup('order', deviceId, orderKey);
        const row = { deviceId, webhookId, seq, orderHash, now };
        rows.push(row);
        const head = `${orderHash}/${webhookId}`;
        if (!heads.has(head)) heads.set(head, row);
        keys.set(webhookId, row);
      }
      yield* deliveries.insert.write(rows);
      // Queues that were there already have their owner looked at in time.
      if ((yield* queues.insert.write([...heads.values()])) > 0) yield* owners.wake.write([...keys.values()]);
    },
    *refresh(key, orderHash, finished = 0) {
      const { deviceId, webhookId } = key;
      if (yield* queues.put.changed({ deviceId, webhookId, orderHash, finished })) return;
      yield* queues.deleteEmpty.all({ deviceId, webhookId, orderHash });
    },
    *reschedule({ deviceId, webhookId }, notBefore) {
      yield* owners.schedule.all({ deviceId, webhookId, notBefore });
    },
  };
};

/** Deliveries of one queue's owner in one claim: a device with a million pending takes its turn like the others. */
const perOwner = 32;

type Due = QueueKey & { readonly now: number; readonly limit: number };

const claimQueries = (context: Context, { tables }: QueueKind) => {
  const { sql } = context;
  const { lanes, deliveries, owner, of } = tables;
  /** The first due queues of an owner: the same ones in each statement of a claim, which has locked the device's row. */
  const dueQueues = (p: Due) =>
    sql
      .selectFrom(`${lanes} as q`)
      .where(of(p, 'q'))
      .where('q.due_at', '<=', p.now)
      .orderBy('q.due_at')
      .orderBy('q.head_seq')
      .limit(p.limit);
  return {
    heads: prepare((p: Due) =>
      dueQueues(p)
        .innerJoin(`${deliveries} as d`, (j) =>
          owner.reduce(
            (join, column) => join.onRef(`d.${column}`, '=', `q.${column}`),
            j.onRef('d.seq', '=', 'q.head_seq'),
          ),
        )
        .innerJoin('events as e', (j) => j.onRef('e.device_id', '=', 'q.device_id').onRef('e.seq', '=', 'q.head_seq'))
        .select(['e.device_id', 'e.seq', 'e.at', 'e.kind', 'e.data', 'd.attempts', 'd.brought_forward']),
    ),
    /** With `due_at` in its own condition, too, the update would walk all queues that are due. */
    lease: prepare((p: Due & { readonly leaseUntil: number }) =>
      sql
        .updateTable(lanes)
        .set({ due_at: p.leaseUntil, leased: 1 })
        .where(of(p))
        .where('order_hash', 'in', dueQueues(p).select('q.order_hash')),
    ),
  };
};

/** When the first owner of each kind is due, and the first turn of a chat settles. */
const nextQuery = ({ sql }: Context) =>
  prepare(() =>
    sql.selectNoFrom((e) => [
      e
        .selectFrom('devices')
        .select('queue_at')
        .where('queue_at', 'is not', null)
        .orderBy('queue_at')
        .limit(1)
        .as('own'),
      e
        .selectFrom('webhook_queues')
        .select('queue_at')
        .where('queue_at', 'is not', null)
        .orderBy('queue_at')
        .limit(1)
        .as('additional'),
      nextSettled(e),
    ]),
  );

type ClaimKind = ReturnType<typeof claimQueries> & Pick<QueueKind, 'owners'>;

function* claimOf(
  { sealer }: Context,
  { heads, lease, owners }: ClaimKind,
  due: Due & Pick<DueOwner, 'endpoint' | 'userId'>,
  leaseUntil: number,
): Unit<DueDelivery[]> {
  const { deviceId, webhookId, endpoint, userId, now } = due;
  const rows = yield* heads.all(due);
  yield* lease.all({ ...due, leaseUntil });
  yield* owners.schedule.all({ deviceId, webhookId, notBefore: now });
  const found: DueDelivery[] = [];
  for (const row of rows.length > 1 ? rows.toSorted((a, b) => a.seq - b.seq) : rows) {
    const { seq, attempts } = row;
    found.push({
      id: deliveryId(deviceId, seq, webhookId),
      deviceId,
      webhookId,
      endpoint,
      userId,
      attempts,
      broughtForward: row.brought_forward === brought.due,
      ...openEvent(sealer, row),
    });
  }
  return found;
}

/** `settle` tells the turns of chats that have settled, which makes deliveries (`turns.ts`). */
export const claims = (
  context: Context,
  settle: (now: number) => Promise<void>,
): Pick<Outbox, 'claim' | 'nextDueAt'> => {
  const { database } = context;
  const next = nextQuery(context);
  const own = dueOwn(context);
  const additional = dueAdditional(context);
  const kinds = byKind(context, (kind) => ({ owners: kind.owners, ...claimQueries(context, kind) }));
  /** Whether additional webhooks had something to post when that was last asked: most installations have none. */
  let isAdditional = true;
  /** When the next turn of a chat settles. */
  let settlesAt = Infinity;

  return {
    claim: async ({ now, leaseUntil, limit, exceptDevices, exceptUsers = [], roomOf = () => perOwner }) => {
      if (settlesAt <= now) {
        await settle(now);
        isAdditional = true;
      }
      return database.write(function* () {
        const full = new Set(exceptDevices);
        const except = { endpoints: exceptDevices, users: exceptUsers };
        const found: DueDelivery[] = [];
        let due = yield* own(now, limit, except);
        if (isAdditional) {
          due = [...due, ...(yield* additional(now, limit, except))];
          due.sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
        }
        for (const { at: _, ...key } of due) {
          if (found.length >= limit) break;
          if (full.has(key.endpoint)) continue;
          const room = Math.min(limit - found.length, perOwner, roomOf(key, found));
          const owner = { ...key, now, limit: room };
          const kind = key.webhookId === 0 ? kinds.own : kinds.additional;
          if (room > 0) found.push(...(yield* claimOf(context, kind, owner, leaseUntil)));
        }
        return found;
      });
    },
    nextDueAt: async () => {
      const row = await database.read(() => next.first({}));
      isAdditional = row?.additional != null;
      settlesAt = row?.settles ?? Infinity;
      const first = Math.min(row?.own ?? Infinity, row?.additional ?? Infinity, settlesAt);
      return first === Infinity ? null : first;
    },
  };
};

/** At the start of the only process of a database: what a dead one had claimed is due again. */
export const freeLeases = async (context: Context): Promise<void> => {
  const { sql, database } = context;
  const { own, additional } = byKind(context, (kind) => queueWriter(context, kind));
  await database.write(function* () {
    const ownLeased = sql.selectFrom('delivery_queues').select(['device_id', 'order_hash', 'head_seq']);
    for (const row of yield* all(ownLeased.where('leased', '=', 1))) {
      const key = { deviceId: row.device_id, webhookId: 0 };
      yield* own.refresh(key, row.order_hash, row.head_seq);
      yield* own.reschedule(key, 0);
    }
    const leased = sql.selectFrom('webhook_delivery_queues').selectAll().where('leased', '=', 1);
    for (const row of yield* all(leased)) {
      const key = { deviceId: row.device_id, webhookId: row.webhook_id };
      yield* additional.refresh(key, row.order_hash, row.head_seq);
      yield* additional.reschedule(key, 0);
    }
  });
};
