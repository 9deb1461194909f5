/**
 * Delivery queues: the pending deliveries of one (device, webhook, order key), with a row naming the oldest, unless all of them are
 * fresh (`fresh.ts`). `webhook_queues` holds when the first queue of a webhook and device is due. Every writer of either table locks
 * the device's row first.
 */
import { type FreshQueue, type QueueKey, freshLeaseMs } from '../../domain/delivery.ts';
import type { Target } from '../../domain/webhooks/webhook.ts';
import type { Context } from '../base/context.ts';
import { type Unit, all, prepare, prepareRows } from '../base/unit.ts';

export interface NewDelivery {
  readonly seq: number;
  readonly orderKey: string;
  readonly webhookId: number;
  /** Null if the webhook has no URL, or was stopped by a 410. */
  readonly target: Target | null;
}

export type OrderKey = QueueKey & { readonly orderHash: string };
export type QueuedRow = OrderKey &
  Pick<NewDelivery, 'seq' | 'orderKey' | 'target'> & {
    readonly now: number;
    /** The lowest number of its commit. */
    readonly first: number;
    /** Who claims it; null: nobody. */
    readonly by: number | null;
  };

export interface QueueWriter {
  /** Returns those that are fresh, in their order. */
  enqueue(deviceId: number, added: readonly NewDelivery[], now: number): Unit<readonly QueuedRow[]>;
  /** Gives the fresh deliveries of a queue to it; returns their numbers. */
  release(key: OrderKey, now: number): Unit<readonly number[]>;
  /** Points a queue at its oldest pending delivery, or removes it. `isEmpty`: try removal first. `finished`: the head whose lease is over. */
  refresh(key: OrderKey, finished?: number, isEmpty?: boolean): Unit<boolean>;
  advance(key: OrderKey): Unit<unknown>;
  /** At least `notBefore`, so that busy devices take turns. */
  reschedule(key: QueueKey, notBefore: number): Unit<unknown>;
}

const owner = ['device_id', 'webhook_id'] as const;
const queueColumns = [...owner, 'order_hash'] as const;

const pendingOf = ({ sql }: Pick<Context, 'sql'>, p: OrderKey) =>
  sql
    .selectFrom('deliveries')
    .where((e) => e.and({ device_id: p.deviceId, webhook_id: p.webhookId, order_hash: p.orderHash }))
    .where('next_attempt_at', 'is not', null);

const freshQueries = (context: Pick<Context, 'sql'>) => ({
  /** Claimed, unless the queue has an older one that this process has not claimed. */
  insert: prepareRows((rows: QueuedRow[]) =>
    context.sql
      .insertInto('deliveries')
      .values((e) =>
        rows.map((p) => {
          const older = pendingOf(context, p).select('seq').where('seq', '<', p.first);
          const by = e.cast<number | null>(e.val(p.by), 'bigint');
          return {
            device_id: p.deviceId,
            webhook_id: p.webhookId,
            seq: p.seq,
            order_hash: p.orderHash,
            state: 'pending' as const,
            attempts: 0,
            next_attempt_at: p.now,
            created_at: p.now,
            claimed_by: e
              .case()
              // First: it would look through all that waits.
              .when(by, 'is', null)
              .then(null)
              .when(e.not(e.exists(older.where('claimed_by', 'is distinct from', by))))
              .then(by)
              .end(),
          };
        }),
      )
      .returning(['seq', 'webhook_id', 'claimed_by']),
  ),
  unclaim: prepare((p: OrderKey) =>
    context.sql
      .updateTable('deliveries')
      .set({ claimed_by: null })
      .where((e) => e.and({ device_id: p.deviceId, webhook_id: p.webhookId, order_hash: p.orderHash }))
      .where('next_attempt_at', 'is not', null)
      .where('claimed_by', 'is not', null)
      .returning('seq'),
  ),
});

const headOf = (context: Pick<Context, 'sql'>, p: OrderKey) =>
  pendingOf(context, p)
    .select((e) => {
      const isQueued = e('claimed_by', 'is', null);
      const leaseEnd = e('created_at', '+', freshLeaseMs);
      return [
        ...queueColumns,
        'seq',
        e.case().when(isQueued).then(e.ref('next_attempt_at')).else(leaseEnd).end().as('due_at'),
        e.case().when(isQueued).then(e.lit(0)).else(e.lit(1)).end().as('leased'),
      ];
    })
    .orderBy('seq')
    .limit(1);

const headQueries = (context: Context) => {
  const { sql, database } = context;
  return {
    /** No-op if nothing is pending. A leased head keeps its lease, unless it is `finished`; a fresh one is leased. */
    put: prepare((p: OrderKey & { readonly finished: number }) =>
      sql
        .insertInto('delivery_queues')
        .columns([...queueColumns, 'head_seq', 'due_at', 'leased'])
        .expression(headOf(context, p))
        .onConflict((c) =>
          c
            .columns(queueColumns)
            .doUpdateSet((e) => ({
              head_seq: e.ref('excluded.head_seq'),
              due_at: e.ref('excluded.due_at'),
              leased: e.ref('excluded.leased'),
            }))
            .where((e) =>
              e.or([
                e.and([
                  e('delivery_queues.leased', '=', 0),
                  e('delivery_queues.due_at', '!=', e.ref('excluded.due_at')),
                ]),
                e('delivery_queues.head_seq', '!=', e.ref('excluded.head_seq')),
                e('delivery_queues.head_seq', '=', p.finished),
              ]),
            ),
        )
        .$if(database.shared, (query) => query.returning('head_seq')),
    ),
    advance: prepare((p: OrderKey) =>
      sql
        .updateTable('delivery_queues')
        .set((e) => {
          const oldest = pendingOf(context, p).select('seq').orderBy('seq').limit(1);
          return { head_seq: e.fn.coalesce(oldest, 'head_seq') };
        })
        .where((e) => e.and({ device_id: p.deviceId, webhook_id: p.webhookId, order_hash: p.orderHash, leased: 1 })),
    ),
    deleteEmpty: prepare((p: OrderKey) =>
      sql
        .deleteFrom('delivery_queues')
        .where((e) => e.and({ device_id: p.deviceId, webhook_id: p.webhookId, order_hash: p.orderHash }))
        .where((e) => e.not(e.exists(pendingOf(context, p).select('seq'))))
        .$if(database.shared, (query) => query.returning('head_seq')),
    ),
  };
};

const dueQueries = ({ sql }: Context) => ({
  wake: prepareRows((rows: (QueueKey & { readonly now: number })[]) =>
    sql
      .insertInto('webhook_queues')
      .values((e) =>
        rows.map((p) => ({
          device_id: p.deviceId,
          webhook_id: p.webhookId,
          // Null for a webhook stopped by a 410.
          due_at: e
            .selectFrom('webhooks as w')
            .select((w) => w.cast<number>(w.val(p.now), 'bigint').as('at'))
            .where('w.id', '=', p.webhookId)
            .where('w.disabled_at', 'is', null),
        })),
      )
      .onConflict((c) =>
        c
          .columns(owner)
          .doUpdateSet((e) => ({ due_at: e.ref('excluded.due_at') }))
          .where((e) =>
            e.or([e('webhook_queues.due_at', 'is', null), e('webhook_queues.due_at', '>', e.ref('excluded.due_at'))]),
          ),
      ),
  ),
  /** A webhook whose deliveries were all fresh has no row before. */
  schedule: prepare((p: QueueKey & { readonly notBefore: number }) =>
    sql
      .insertInto('webhook_queues')
      .columns([...owner, 'due_at'])
      .expression((f) => {
        const due = f
          .selectFrom('webhooks as w')
          .innerJoin('delivery_queues as q', 'q.webhook_id', 'w.id')
          .select((q) => {
            const least = q.cast<number>(q.val(p.notBefore), 'bigint');
            return q.case().when('q.due_at', '<', least).then(least).else(q.ref('q.due_at')).end().as('at');
          })
          .where((e) => e.and({ 'w.id': p.webhookId, 'w.enabled': 1 }))
          .where('w.disabled_at', 'is', null)
          .where('q.device_id', '=', p.deviceId)
          .orderBy('q.due_at')
          .limit(1);
        const webhookId = f.cast<number>(f.val(p.webhookId), 'bigint').as('webhook_id');
        return f
          .selectFrom('devices as v')
          .select(['v.id', webhookId, due.as('due_at')])
          .where('v.id', '=', p.deviceId);
      })
      .onConflict((c) => c.columns(owner).doUpdateSet((e) => ({ due_at: e.ref('excluded.due_at') }))),
  ),
});

type Queries = ReturnType<typeof freshQueries> & ReturnType<typeof headQueries> & ReturnType<typeof dueQueries>;

const enqueuer = ({ fresh, sealer }: Context, queries: Queries): QueueWriter['enqueue'] =>
  function* enqueue(deviceId, added, now) {
    /** The first of each queue, and those that ask for a claim. */
    const firsts = new Map<string, QueuedRow>();
    const asking: FreshQueue[] = [];
    const rows: QueuedRow[] = [];
    for (const { seq, orderKey, webhookId, target } of added) {
      const name = `${webhookId}/${orderKey}`;
      let row = firsts.get(name);
      if (row === undefined) {
        const orderHash = sealer.lookup('order', deviceId, orderKey);
        row = { deviceId, webhookId, orderHash, orderKey, target, seq, now, first: added[0]!.seq, by: null };
        const queue = target === null ? null : { deviceId, webhookId, userId: target.userId, orderHash };
        if (queue !== null && fresh.taker?.accepts(queue, asking) === true) {
          row = { ...row, by: fresh.by };
          asking.push(queue);
        }
        firsts.set(name, row);
      }
      rows.push({ ...row, seq });
    }
    if (rows.length === 0) return rows;
    const claimed = new Set<string>();
    for (const { seq, webhook_id: id, claimed_by: by } of yield* queries.insert.all(rows))
      if (by !== null) claimed.add(`${seq}/${id}`);
    const woken = new Map<number, QueuedRow>();
    for (const row of firsts.values()) {
      const isFresh = claimed.has(`${row.seq}/${row.webhookId}`);
      if (!isFresh && (yield* queries.put.changed({ ...row, finished: 0 }))) woken.set(row.webhookId, row);
    }
    yield* queries.wake.write([...woken.values()]);
    const found: QueuedRow[] = [];
    for (const row of rows) if (claimed.has(`${row.seq}/${row.webhookId}`)) found.push(row);
    return found;
  };

export const queueWriter = (context: Context): QueueWriter => {
  const queries = { ...freshQueries(context), ...headQueries(context), ...dueQueries(context) };
  const enqueue = enqueuer(context, queries);
  return {
    enqueue,
    *release({ deviceId, webhookId, orderHash }, now) {
      const key = { deviceId, webhookId, orderHash };
      const seqs = (yield* queries.unclaim.all(key)).map(({ seq }) => seq);
      if (seqs.length === 0) return seqs;
      yield* this.refresh(key, Math.min(...seqs));
      yield* this.reschedule(key, now);
      return seqs;
    },
    *refresh({ deviceId, webhookId, orderHash }, finished = 0, isEmpty = false) {
      const key = { deviceId, webhookId, orderHash };
      if (isEmpty && (yield* queries.deleteEmpty.changed(key))) return true;
      return !(yield* queries.put.changed({ ...key, finished })) && (yield* queries.deleteEmpty.changed(key));
    },
    advance: ({ deviceId, webhookId, orderHash }) => queries.advance.all({ deviceId, webhookId, orderHash }),
    reschedule: ({ deviceId, webhookId }, notBefore) => queries.schedule.all({ deviceId, webhookId, notBefore }),
  };
};

/** Required before writing its queues. */
export const lockDevice = ({ sql }: Pick<Context, 'sql'>, deviceId: number): Unit<unknown> => {
  const query = sql.updateTable('devices').set((e) => ({ event_seq: e.ref('event_seq') }));
  return all(query.where('id', '=', deviceId));
};

export const queuesOf = async ({ sql, database }: Context, webhookId: number): Promise<readonly QueueKey[]> => {
  const query = sql.selectFrom('webhook_queues').select('device_id').where('webhook_id', '=', webhookId);
  const rows = await database.read(() => all(query.orderBy('device_id')));
  return rows.map((row) => ({ deviceId: row.device_id, webhookId }));
};
