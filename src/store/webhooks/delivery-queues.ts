/**
 * Delivery queues: the pending deliveries of one (device, webhook, order key), with a row of `delivery_queues` that names the oldest.
 * `webhook_queues` holds when the first queue of a webhook and device is due, so a claim reads only what it takes. Every writer of either
 * table locks the device's row first.
 */
import type { QueueKey } from '../../domain/delivery.ts';
import type { Context } from '../base/context.ts';
import { type Unit, all, prepare, prepareRows } from '../base/unit.ts';

export interface NewDelivery {
  readonly seq: number;
  readonly orderKey: string;
  readonly webhookId: number;
}

type OrderKey = QueueKey & { readonly orderHash: string };
type QueuedRow = OrderKey & { readonly seq: number; readonly now: number };

export interface QueueWriter {
  /** Appends deliveries that are due now, in the order of the log, and wakes their webhooks. */
  enqueue(deviceId: number, added: readonly NewDelivery[], now: number): Unit<void>;
  /**
   * Points a queue at its oldest pending delivery, or removes it if there is none. `isEmpty`: there is probably none, so removal is tried
   * first. `finished`: the head whose lease is over.
   */
  refresh(key: OrderKey, finished?: number, isEmpty?: boolean): Unit<void>;
  /** Sets when the first queue is due, at least `notBefore`, so that busy devices take turns. */
  reschedule(key: QueueKey, notBefore: number): Unit<unknown>;
}

const owner = ['device_id', 'webhook_id'] as const;
const queueColumns = [...owner, 'order_hash'] as const;

const pendingOf = ({ sql }: Pick<Context, 'sql'>, p: OrderKey) =>
  sql
    .selectFrom('deliveries')
    .where('device_id', '=', p.deviceId)
    .where('webhook_id', '=', p.webhookId)
    .where('order_hash', '=', p.orderHash)
    .where('next_attempt_at', 'is not', null);

const insertQueries = ({ sql, database }: Context) => ({
  insertDeliveries: prepareRows((rows: QueuedRow[]) =>
    sql.insertInto('deliveries').values(
      rows.map((p) => ({
        device_id: p.deviceId,
        webhook_id: p.webhookId,
        seq: p.seq,
        order_hash: p.orderHash,
        state: 'pending' as const,
        attempts: 0,
        next_attempt_at: p.now,
        created_at: p.now,
      })),
    ),
  ),
  insert: prepareRows((rows: QueuedRow[]) =>
    sql
      .insertInto('delivery_queues')
      .values(
        rows.map((p) => ({
          device_id: p.deviceId,
          webhook_id: p.webhookId,
          order_hash: p.orderHash,
          head_seq: p.seq,
          due_at: p.now,
          leased: 0,
        })),
      )
      .onConflict((c) => c.columns(queueColumns).doNothing())
      .$if(database.shared, (query) => query.returning('head_seq')),
  ),
});

const headQueries = (context: Context) => {
  const { sql, database } = context;
  return {
    /**
     * Points it at its oldest pending delivery; changes nothing if there is none. A leased head that stays the head keeps its lease,
     * unless it
     * is `finished`.
     */
    put: prepare((p: OrderKey & { readonly finished: number }) =>
      sql
        .insertInto('delivery_queues')
        .columns([...queueColumns, 'head_seq', 'due_at', 'leased'])
        .expression(
          pendingOf(context, p)
            .select((e) => [...queueColumns, 'seq', 'next_attempt_at', e.lit(0).as('leased')])
            .orderBy('seq')
            .limit(1),
        )
        .onConflict((c) =>
          c
            .columns(queueColumns)
            .doUpdateSet((e) => ({ head_seq: e.ref('excluded.head_seq'), due_at: e.ref('excluded.due_at'), leased: 0 }))
            .where((e) =>
              e.or([
                e('delivery_queues.leased', '=', 0),
                e('delivery_queues.head_seq', '!=', e.ref('excluded.head_seq')),
                e('delivery_queues.head_seq', '=', p.finished),
              ]),
            ),
        )
        .$if(database.shared, (query) => query.returning('head_seq')),
    ),
    deleteEmpty: prepare((p: OrderKey) =>
      sql
        .deleteFrom('delivery_queues')
        .where('device_id', '=', p.deviceId)
        .where('webhook_id', '=', p.webhookId)
        .where('order_hash', '=', p.orderHash)
        .where((e) => e.not(e.exists(pendingOf(context, p).select('seq'))))
        .$if(database.shared, (query) => query.returning('head_seq')),
    ),
  };
};

/** When the first queue of a webhook and device is due. */
const dueQueries = ({ sql }: Context) => ({
  wake: prepareRows((rows: (QueueKey & { readonly now: number })[]) =>
    sql
      .insertInto('webhook_queues')
      .values((e) =>
        rows.map((p) => ({
          device_id: p.deviceId,
          webhook_id: p.webhookId,
          // Null for a webhook that a 410 has stopped: its events wait.
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
  schedule: prepare((p: QueueKey & { readonly notBefore: number }) =>
    sql
      .updateTable('webhook_queues as o')
      .set((e) => ({
        due_at: e
          .selectFrom('webhooks as w')
          .innerJoin('delivery_queues as q', 'q.webhook_id', 'w.id')
          .select((q) => {
            const least = q.cast<number>(q.val(p.notBefore), 'bigint');
            return q.case().when('q.due_at', '<', least).then(least).else(q.ref('q.due_at')).end().as('at');
          })
          .where('w.id', '=', p.webhookId)
          .where('w.enabled', '=', 1)
          .where('w.disabled_at', 'is', null)
          .where('q.device_id', '=', p.deviceId)
          .orderBy('q.due_at')
          .limit(1),
      }))
      .where('o.device_id', '=', p.deviceId)
      .where('o.webhook_id', '=', p.webhookId),
  ),
});

export const queueWriter = (context: Context): QueueWriter => {
  const queries = { ...insertQueries(context), ...headQueries(context), ...dueQueries(context) };
  return {
    *enqueue(deviceId, added, now) {
      const heads = new Map<string, QueuedRow>();
      const webhooks = new Map<number, QueuedRow>();
      const rows: QueuedRow[] = [];
      for (const { seq, orderKey, webhookId } of added) {
        const orderHash = context.sealer.lookup('order', deviceId, orderKey);
        const row = { deviceId, webhookId, seq, orderHash, now };
        rows.push(row);
        const head = `${orderHash}/${webhookId}`;
        if (!heads.has(head)) heads.set(head, row);
        webhooks.set(webhookId, row);
      }
      yield* queries.insertDeliveries.write(rows);
      // Existing queues are scheduled already.
      if ((yield* queries.insert.write([...heads.values()])) > 0) yield* queries.wake.write([...webhooks.values()]);
    },
    *refresh({ deviceId, webhookId, orderHash }, finished = 0, isEmpty = false) {
      const key = { deviceId, webhookId, orderHash };
      if (isEmpty && (yield* queries.deleteEmpty.changed(key))) return;
      if (!(yield* queries.put.changed({ ...key, finished }))) yield* queries.deleteEmpty.all(key);
    },
    reschedule: ({ deviceId, webhookId }, notBefore) => queries.schedule.all({ deviceId, webhookId, notBefore }),
  };
};

/** Locks the device's row, as every writer of its queues does. */
export const lockDevice = ({ sql }: Pick<Context, 'sql'>, deviceId: number): Unit<unknown> => {
  const query = sql.updateTable('devices').set((e) => ({ event_seq: e.ref('event_seq') }));
  return all(query.where('id', '=', deviceId));
};

/** The queues of a webhook: one for each device with deliveries. */
export const queuesOf = async ({ sql, database }: Context, webhookId: number): Promise<readonly QueueKey[]> => {
  const query = sql.selectFrom('webhook_queues').select('device_id').where('webhook_id', '=', webhookId);
  const rows = await database.read(() => all(query.orderBy('device_id')));
  return rows.map((row) => ({ deviceId: row.device_id, webhookId }));
};
