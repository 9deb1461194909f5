/**
 * The two kinds of queues of deliveries: of a device's own webhook, and of additional webhooks, one queue for each webhook and device. They
 * have the same statements on tables of their own, in which additional ones have the column `webhook_id` more. A queue's owner says when
 * to look at it next (`queue_at`): the device's row, or the row of `webhook_queues`. Every writer of a queue of either kind locks the
 * device's row first.
 */
import { type Expression, type ExpressionBuilder, type SqlBool, sql as text } from 'kysely';
import type { QueueKey } from '../../domain/delivery.ts';
import type { Context } from '../base/context.ts';
import type { Schema } from '../base/schema.ts';
import { type Prepared, type PreparedRows, type Unit, all, pick, prepare, prepareRows } from '../base/unit.ts';

/** The names of the tables and of the columns that a queue's rows have in common. The names of additional ones pass for those of a device's own. */
export interface QueueTables {
  readonly deliveries: 'deliveries';
  readonly lanes: 'delivery_queues';
  readonly attempts: 'attempts';
  readonly owner: readonly 'device_id'[];
  /** Values of the owner's columns. */
  readonly values: (p: QueueKey) => { readonly device_id: number };
  /** Rows of the queue; `table` where others are joined. */
  readonly of: (p: QueueKey, table?: string) => Expression<SqlBool>;
}

type Schedule = QueueKey & { readonly notBefore: number };

/** Statements on the owners of queues. */
export interface QueueOwners {
  /** Has queues looked at in time: of a device's own webhook, one. */
  readonly wake: PreparedRows<QueueKey & { readonly now: number }>;
  /** Sets `queue_at` (`queueAt`). */
  readonly schedule: Prepared<Schedule, object>;
}

export interface DueOwner extends QueueKey {
  /** `endpointOf`. */
  readonly endpoint: number;
  readonly userId: number;
  readonly at: number | null;
}

export interface QueueKind {
  readonly tables: QueueTables;
  readonly owners: QueueOwners;
}

const column = (name: string, table: string | undefined) => text.ref(table === undefined ? name : `${table}.${name}`);

const ownTables: QueueTables = {
  deliveries: 'deliveries',
  lanes: 'delivery_queues',
  attempts: 'attempts',
  owner: ['device_id'],
  values: (p) => ({ device_id: p.deviceId }),
  of: (p, table) => text<SqlBool>`${column('device_id', table)} = ${p.deviceId}`,
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same columns, and one more that no statement names
const additionalTables = {
  deliveries: 'webhook_deliveries',
  lanes: 'webhook_delivery_queues',
  attempts: 'webhook_attempts',
  owner: ['device_id', 'webhook_id'],
  values: (p: QueueKey) => ({ device_id: p.deviceId, webhook_id: p.webhookId }),
  of: (p: QueueKey, table?: string) =>
    text<SqlBool>`${column('device_id', table)} = ${p.deviceId} and ${column('webhook_id', table)} = ${p.webhookId}`,
} as unknown as QueueTables;

/** When the first queue of a device is due, but not before `notBefore`, so that busy devices take turns. Null where there is nothing to post, or nowhere to. */
export const queueAt = (e: ExpressionBuilder<Schema, 'devices'>, notBefore: number) =>
  e
    .case()
    .when(e.and([e('webhook_url', 'is not', null), e('disabled_at', 'is', null), e('deleted', '=', 0)]))
    .then(
      e
        .selectFrom('delivery_queues')
        .select((lane) => {
          const least = lane.cast<number>(lane.val(notBefore), 'bigint');
          return lane.case().when('due_at', '<', least).then(least).else(lane.ref('due_at')).end().as('at');
        })
        .whereRef('delivery_queues.device_id', '=', 'devices.id')
        .orderBy('due_at')
        .limit(1),
    )
    .end();

const ownOwners = ({ sql }: Context): QueueOwners => {
  return {
    wake: prepareRows(([p]: (QueueKey & { now: number })[]) =>
      sql
        .updateTable('devices')
        .set({ queue_at: p!.now })
        .where('id', '=', p!.deviceId)
        .where('disabled_at', 'is', null)
        .where((e) => e.or([e('queue_at', 'is', null), e('queue_at', '>', p!.now)])),
    ),
    schedule: prepare((p: Schedule) =>
      sql
        .updateTable('devices')
        .set((e) => ({ queue_at: queueAt(e, p.notBefore) }))
        .where('id', '=', p.deviceId),
    ),
  };
};

const scheduleAdditional = ({ sql }: Context): QueueOwners['schedule'] =>
  prepare((p: Schedule) =>
    sql
      .updateTable('webhook_queues')
      .set((e) => ({
        queue_at: e
          .case()
          .when(
            e.exists(
              e
                .selectFrom('webhooks as w')
                .select('w.id')
                .where('w.id', '=', p.webhookId)
                .where('w.enabled', '=', 1)
                .where('w.disabled_at', 'is', null)
                .where('w.deleted', '=', 0),
            ),
          )
          .then(
            e
              .selectFrom('webhook_delivery_queues as l')
              .select((lane) => {
                const least = lane.cast<number>(lane.val(p.notBefore), 'bigint');
                return lane.case().when('l.due_at', '<', least).then(least).else(lane.ref('l.due_at')).end().as('at');
              })
              .whereRef('l.device_id', '=', 'webhook_queues.device_id')
              .whereRef('l.webhook_id', '=', 'webhook_queues.webhook_id')
              .orderBy('l.due_at')
              .limit(1),
          )
          .end(),
      }))
      .where('device_id', '=', p.deviceId)
      .where('webhook_id', '=', p.webhookId),
  );

/** Which due owners are left out, besides. */
export interface DueExcept {
  readonly endpoints: readonly number[];
  readonly users: readonly number[];
}

const dueOwnQuery = ({ sql, database }: Context, { now, limit, users }: DueLimit) =>
  sql
    .selectFrom('devices')
    .select((e) => [
      'id as deviceId',
      'id as endpoint',
      'user_id as userId',
      'queue_at as at',
      e.lit(0).as('webhookId'),
    ])
    .where('queue_at', '<=', now)
    .$if(users.length > 0, (query) => query.where('user_id', 'not in', users))
    .orderBy('queue_at')
    .orderBy('id')
    .limit(limit)
    .$if(database.shared, (query) => query.forUpdate().skipLocked());

interface DueLimit {
  readonly now: number;
  readonly limit: number;
  readonly users: readonly number[];
}

/** Owners that are due, in their order; on a shared database those whose devices nobody else is writing to. */
export const dueOwn = (context: Context): ((now: number, limit: number, except: DueExcept) => Unit<DueOwner[]>) => {
  const forAll = prepare((p: { now: number; limit: number }) =>
    dueOwnQuery(context, { ...pick(p, ['now', 'limit']), users: [] }),
  );
  return (now, limit, { endpoints, users }) => {
    const most = limit + endpoints.length;
    return users.length === 0
      ? forAll.all({ now, limit: most })
      : all(dueOwnQuery(context, { now, limit: most, users }));
  };
};

/** As `dueOwn`. */
export const dueAdditional =
  ({ sql, database }: Context) =>
  (now: number, limit: number, { endpoints, users }: DueExcept): Unit<readonly DueOwner[]> => {
    // An account-wide webhook has a queue for each device: those of a full one would hide the others.
    const full = endpoints.filter((endpoint) => endpoint < 0).map((endpoint) => -endpoint);
    return all(
      sql
        .selectFrom('webhook_queues as q')
        .innerJoin('devices as v', 'v.id', 'q.device_id')
        .select(['q.device_id as deviceId', 'q.queue_at as at', 'q.webhook_id as webhookId', 'v.user_id as userId'])
        .select((e) => e.neg(e.ref('q.webhook_id')).as('endpoint'))
        .where('q.queue_at', '<=', now)
        .$if(full.length > 0, (query) => query.where('q.webhook_id', 'not in', full))
        .$if(users.length > 0, (query) => query.where('v.user_id', 'not in', users))
        .orderBy('q.queue_at')
        .orderBy('q.device_id')
        .orderBy('q.webhook_id')
        .limit(limit)
        .$if(database.shared, (shared) => shared.forUpdate('v').skipLocked()),
    );
  };

const additionalOwners = (context: Context): QueueOwners => ({
  wake: prepareRows((rows: (QueueKey & { now: number })[]) =>
    context.sql
      .insertInto('webhook_queues')
      .values((e) =>
        rows.map((p) => ({
          device_id: p.deviceId,
          webhook_id: p.webhookId,
          // Null for one that a 410 has stopped: its events wait.
          queue_at: e
            .selectFrom('webhooks as w')
            .select((w) => w.cast<number>(w.val(p.now), 'bigint').as('at'))
            .where('w.id', '=', p.webhookId)
            .where('w.disabled_at', 'is', null),
        })),
      )
      .onConflict((c) =>
        c
          .columns(['device_id', 'webhook_id'])
          .doUpdateSet((e) => ({ queue_at: e.ref('excluded.queue_at') }))
          .where((e) =>
            e.or([
              e('webhook_queues.queue_at', 'is', null),
              e('webhook_queues.queue_at', '>', e.ref('excluded.queue_at')),
            ]),
          ),
      ),
  ),
  schedule: scheduleAdditional(context),
});

export const ownQueues = (context: Context): QueueKind => ({ tables: ownTables, owners: ownOwners(context) });

export const additionalQueues = (context: Context): QueueKind => ({
  tables: additionalTables,
  owners: additionalOwners(context),
});

/** One for each kind of queue. */
export interface ByKind<T> {
  readonly own: T;
  readonly additional: T;
}

export const byKind = <T>(context: Context, make: (kind: QueueKind) => T): ByKind<T> => ({
  own: make(ownQueues(context)),
  additional: make(additionalQueues(context)),
});

export const kindOf = <T>({ own, additional }: ByKind<T>, webhookId: number): T => (webhookId === 0 ? own : additional);

/** The queues of an additional webhook: one for each device with deliveries. */
export const queuesOf = async ({ sql, database }: Context, webhookId: number): Promise<readonly QueueKey[]> => {
  const query = sql.selectFrom('webhook_queues').select('device_id').where('webhook_id', '=', webhookId);
  const rows = await database.read(() => all(query));
  return rows.map((row) => ({ deviceId: row.device_id, webhookId }));
};
