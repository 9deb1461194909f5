/** Leases on PostgreSQL: a node renews one row for all its devices; a device's row names its node and its epoch. */
import { sql as raw } from 'kysely';
import {
  type ClusterNode,
  type Lease,
  type LeaseStore,
  type Orphans,
  LeaseLost,
  leaseTimes,
  type SessionMemo,
} from '../domain/lease.ts';
import { deviceNotFound } from '../errors.ts';
import type { Context } from './context.ts';
import type { SealedJson } from './seal.ts';
import { type Unit, all, first, prepare } from './unit.ts';

/** The database's own clock: the nodes' may differ. */
const dbNow = raw<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export const memoContext = (deviceId: number): string => `leases.memo/${deviceId}`;

interface Row {
  readonly device_id: number;
  readonly epoch: number;
  readonly memo: SealedJson<SessionMemo> | null;
}

const memoOf = ({ seal }: Context, deviceId: number, memo: Row['memo']): SessionMemo | null =>
  memo === null ? null : seal.openJson(memo, memoContext(deviceId));

const leaseOf = (context: Context, row: Row): Lease => ({
  deviceId: row.device_id,
  epoch: row.epoch,
  memo: memoOf(context, row.device_id, row.memo),
});

const columns = ['device_id', 'epoch', 'memo'] as const;

const liveOwner = ({ sql }: Context, deviceIds: readonly number[]) =>
  sql
    .selectFrom('leases as l')
    .leftJoin('nodes as n', (join) => join.onRef('n.id', '=', 'l.node').on('n.expires_at', '>', dbNow))
    .select(['l.device_id', 'l.memo', 'n.id as node', 'n.url'])
    .where('l.device_id', 'in', deviceIds);

const ownerIn = (row: { readonly node: string | null; readonly url: string | null } | undefined) =>
  row === undefined || row.node === null || row.url === null ? null : { id: row.node, url: row.url };

function* liveNodes({ sql }: Context): Unit<readonly ClusterNode[]> {
  const rows = yield* all(
    sql
      .selectFrom('nodes as n')
      .select(['n.id', 'n.url', 'n.draining', 'n.expires_at'])
      .select((e) =>
        e
          .selectFrom('leases as l')
          .select((f) => f.fn.countAll<number>().as('count'))
          .whereRef('l.node', '=', 'n.id')
          .as('devices'),
      )
      .where('n.expires_at', '>', dbNow)
      .orderBy('n.id'),
  );
  return rows.map((row) => ({
    id: row.id,
    url: row.url,
    draining: row.draining === 1,
    devices: row.devices ?? 0,
    leaseEnd: row.expires_at,
  }));
}

const renew =
  (context: Context): LeaseStore['renew'] =>
  ({ id, url, draining }, leaseMs = leaseTimes().leaseMs) =>
    context.database.ahead(function* () {
      const values = { id, url, draining: draining ? 1 : 0, expires_at: raw<number>`${dbNow} + ${leaseMs}::bigint` };
      yield* all(
        context.sql
          .insertInto('nodes')
          .values(values)
          .onConflict((c) =>
            c
              .column('id')
              .doUpdateSet((e) => ({ draining: e.ref('excluded.draining'), expires_at: e.ref('excluded.expires_at') })),
          ),
      );
      return yield* liveNodes(context);
    });

/** False for a wish that the database has got too late. */
const mayTakeOrphans = ({ sql }: Context, nodeId: string, orphans: Orphans) => {
  if (typeof orphans === 'string') return raw<boolean>`${orphans === 'any'}`;
  const own = sql.selectFrom('nodes').select('id').where('id', '=', nodeId).where('expires_at', '>', dbNow);
  return raw<boolean>`exists (${own.where('expires_at', '=', orphans.ownLeaseEnd)})`;
};

/** A row that nobody alive holds becomes the node's. */
function* seize(context: Context, nodeId: string, deviceId: number, orphans: Orphans): Unit<Row | undefined> {
  const { sql } = context;
  return yield* first(
    sql
      .updateTable('leases')
      .set((e) => ({ node: nodeId, epoch: e('epoch', '+', 1), wanted: 1 }))
      .where('device_id', '=', deviceId)
      .where((e) =>
        e.or([
          e('node', 'is', null),
          e.and([
            mayTakeOrphans(context, nodeId, orphans),
            e('node', 'not in', e.selectFrom('nodes').select('id').where('expires_at', '>', dbNow)),
          ]),
        ]),
      )
      .returning(columns),
  );
}

const acquire =
  (context: Context): LeaseStore['acquire'] =>
  (nodeId, deviceId, orphans = 'any') =>
    context.database.write(function* () {
      const { sql } = context;
      const device = sql.selectFrom('devices').select('id').where('id', '=', deviceId).where('deleted', '=', 0);
      if ((yield* first(device)) === undefined) throw deviceNotFound();
      const fresh = { device_id: deviceId, node: null, epoch: 0, wanted: 0, memo: null };
      yield* all(
        sql
          .insertInto('leases')
          .values(fresh)
          .onConflict((c) => c.doNothing()),
      );
      const own = sql.selectFrom('leases').select(columns).where('device_id', '=', deviceId).where('node', '=', nodeId);
      const row = (yield* first(own)) ?? (yield* seize(context, nodeId, deviceId, orphans));
      if (row !== undefined) return { kind: 'held' as const, lease: leaseOf(context, row) };
      const [owned] = yield* all(liveOwner(context, [deviceId]));
      const owner = ownerIn(owned);
      // Its lease has ended in this very moment: the caller asks again.
      if (owner === null) throw new LeaseLost(deviceId);
      return { kind: 'elsewhere' as const, owner };
    });

/** By the few nodes that are dead, and not by the many devices that are well: it is asked twice a second by every node. */
function* deadNodes({ sql }: Context): Unit<readonly string[]> {
  const dead = sql.selectFrom('nodes').select('id').where('expires_at', '<=', dbNow);
  const leaving = dead.where((e) =>
    e.exists(e.selectFrom('leases').select('node').whereRef('leases.node', '=', 'nodes.id').where('wanted', '=', 1)),
  );
  return (yield* all(leaving)).map(({ id }) => id);
}

const take =
  (context: Context): LeaseStore['take'] =>
  async (nodeId, limit, orphans) => {
    const { sql, database } = context;
    const wanted = sql.selectFrom('leases').select('device_id').where('wanted', '=', 1).limit(limit);
    const alive = sql.selectFrom('nodes').select('id').where('expires_at', '>', dbNow);
    return database.write(function* () {
      const dead = orphans === 'none' ? [] : yield* deadNodes(context);
      if (orphans !== 'none' && dead.length === 0) return [];
      const candidates =
        orphans === 'none'
          ? wanted.where('node', 'is', null)
          : wanted
              .where('node', 'in', dead)
              .where('node', 'not in', alive)
              .where(mayTakeOrphans(context, nodeId, orphans));
      const rows = yield* all(
        sql
          .updateTable('leases')
          .set((e) => ({ node: nodeId, epoch: e('epoch', '+', 1) }))
          // Locked rows are being written to, or taken by others: next time.
          .where('device_id', 'in', candidates.orderBy('device_id').forUpdate().skipLocked())
          .returning(columns),
      );
      return rows.map((row) => leaseOf(context, row));
    });
  };

const wantedBy = ({ life }: SessionMemo): boolean =>
  life.session.kind !== 'closed' || (life.session.reason === 'shutdown' && life.account !== null);

export const leaseStore = (context: Context): LeaseStore => {
  const { sql, database, seal } = context;
  const noteQuery = prepare((p: { deviceId: number; epoch: number; memo: SealedJson<SessionMemo>; wanted: number }) =>
    sql
      .updateTable('leases')
      .set({ memo: p.memo, wanted: p.wanted })
      .where('device_id', '=', p.deviceId)
      .where('epoch', '=', p.epoch)
      .where('node', 'is not', null)
      .returning('device_id'),
  );
  const heldQuery = prepare((p: { nodeId: string; deviceId: number }) =>
    sql
      .selectFrom('leases')
      .select(['device_id', 'epoch'])
      .where('node', '=', p.nodeId)
      .where('device_id', '=', p.deviceId),
  );
  return {
    renew: renew(context),
    acquire: acquire(context),
    take: take(context),
    release: async (deviceId, epoch, wanted) => {
      const query = sql.updateTable('leases').set({ node: null, wanted: wanted ? 1 : 0 });
      await database.single(() => all(query.where('device_id', '=', deviceId).where('epoch', '=', epoch)));
    },
    note: async (deviceId, epoch, memo) => {
      const set = { memo: seal.sealJson(memo, memoContext(deviceId)), wanted: wantedBy(memo) ? 1 : 0 };
      const row = await database.single(() => noteQuery.first({ deviceId, epoch, ...set }));
      if (row === undefined) throw new LeaseLost(deviceId);
    },
    held: async (nodeId, deviceId) => {
      const query = sql.selectFrom('leases').select(['device_id', 'epoch']).where('node', '=', nodeId);
      const one = deviceId === undefined ? null : { nodeId, deviceId };
      const rows = await database.read(() => (one === null ? all(query) : heldQuery.all(one)));
      return new Map(rows.map((row) => [row.device_id, row.epoch]));
    },
    find: async (deviceIds) => {
      if (deviceIds.length === 0) return new Map();
      const rows = await database.read(() => all(liveOwner(context, deviceIds)));
      return new Map(
        rows.map((row) => [row.device_id, { owner: ownerIn(row), memo: memoOf(context, row.device_id, row.memo) }]),
      );
    },
    nodes: () => database.ahead(() => liveNodes(context)),
    leave: (nodeId) =>
      database.write(function* () {
        yield* all(sql.updateTable('leases').set({ node: null }).where('node', '=', nodeId));
        yield* all(
          sql
            .deleteFrom('nodes')
            .where((e) => e.or([e('id', '=', nodeId), e('expires_at', '<', raw<number>`${dbNow} - 3600000`)]))
            // Whose devices are still to be taken is known by its row.
            .where((e) =>
              e.not(e.exists(e.selectFrom('leases').select('node').whereRef('leases.node', '=', 'nodes.id'))),
            ),
        );
      }),
  };
};
