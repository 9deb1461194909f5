/** Leases on PostgreSQL: a node renews one row for all its devices; a device's row holds node and epoch. */
import { sql as raw } from 'kysely';
import {
  type ClusterNode,
  type Lease,
  type LeaseStore,
  type Orphans,
  LeaseLost,
  leaseTimes,
  type SessionMemo,
} from '../../domain/lease.ts';
import { deviceNotFound } from '../../errors.ts';
import type { Context } from '../base/context.ts';
import type { PostgresDatabase } from '../postgres/postgres.ts';
import { type DeadNode, type NodeRow, NodeWatch } from './node-watch.ts';
import { contextOf, type SealedJson } from '../sealing/sealer.ts';
import { type Unit, all, first, prepare } from '../base/unit.ts';
import { finding } from '../base/statements.ts';

/** Only nodes of one PostgreSQL have leases. */
type Shared = Context & { readonly database: PostgresDatabase };

const dbNow = raw<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

interface Row {
  readonly device_id: number;
  readonly epoch: number;
  readonly memo: SealedJson<SessionMemo> | null;
}

const memoOf = ({ sealer }: Context, deviceId: number, memo: Row['memo']): SessionMemo | null =>
  memo === null ? null : sealer.openJson(memo, contextOf('leases.memo', { device_id: deviceId }));

const leaseOf = (context: Context, row: Row): Lease => ({
  deviceId: row.device_id,
  epoch: row.epoch,
  memo: memoOf(context, row.device_id, row.memo),
});

const columns = ['device_id', 'epoch', 'memo'] as const;

const isExpired = raw<boolean>`n.expires_at <= ${dbNow}`;

const ownersOf = ({ sql }: Context, deviceIds: readonly number[]) =>
  sql
    .selectFrom('leases as l')
    .leftJoin('nodes as n', 'n.id', 'l.node')
    .select(['l.device_id', 'l.memo', 'n.id', 'n.url', 'n.expires_at', 'n.lease_ms'])
    .select(isExpired.as('expired'))
    .where('l.device_id', 'in', deviceIds);

type OwnerRow = { readonly [K in keyof NodeRow]: NodeRow[K] | null } & { readonly url: string | null };

const ownerIn = (watch: NodeWatch, row: OwnerRow | undefined) => {
  const { id = null, url = null, expires_at = null, lease_ms = null, expired = null } = row ?? {};
  if (id === null || url === null || expires_at === null || lease_ms === null) return null;
  return watch.isLive({ id, expires_at, lease_ms, expired: expired === true }) ? { id, url } : null;
};

function* allNodes({ sql }: Context) {
  return yield* all(
    sql
      .selectFrom('nodes as n')
      .select(['n.id', 'n.url', 'n.draining', 'n.expires_at', 'n.lease_ms'])
      .select(isExpired.as('expired'))
      .select((e) =>
        e
          .selectFrom('leases as l')
          .select((f) => f.fn.countAll<number>().as('count'))
          .whereRef('l.node', '=', 'n.id')
          .as('devices'),
      )
      .select((e) =>
        e
          .selectFrom('leases as l')
          .select(raw<number>`coalesce(sum(l.epoch), 0)::bigint`.as('sum'))
          .whereRef('l.node', '=', 'n.id')
          .as('epochs'),
      )
      .orderBy('n.id'),
  );
}

/** `unit` must end with all nodes. Returns the live ones. */
const watched = async (
  { database }: Shared,
  watch: NodeWatch,
  unit: () => ReturnType<typeof allNodes>,
): Promise<readonly ClusterNode[]> => {
  const sent = watch.now();
  const rows = await database.ahead(unit);
  watch.observe(rows, sent);
  return rows
    .filter((row) => watch.isLive(row))
    .map((row) => ({
      id: row.id,
      url: row.url,
      draining: row.draining === 1,
      devices: row.devices ?? 0,
      epochs: row.epochs ?? 0,
      leaseEnd: row.expires_at,
    }));
};

const renew =
  (context: Shared, watch: NodeWatch): LeaseStore['renew'] =>
  ({ id, url, draining }, leaseMs = leaseTimes().leaseMs) =>
    watched(context, watch, function* () {
      const expires = raw<number>`${dbNow} + ${leaseMs}::bigint`;
      const values = { id, url, draining: draining ? 1 : 0, expires_at: expires, lease_ms: leaseMs };
      // The value must change with each renewal, even if the clock is set back.
      const changed = raw<number>`case when nodes.expires_at = excluded.expires_at then nodes.expires_at + 1 else excluded.expires_at end`;
      yield* all(
        context.sql
          .insertInto('nodes')
          .values(values)
          .onConflict((c) =>
            c.column('id').doUpdateSet((e) => ({ draining: e.ref('excluded.draining'), expires_at: changed })),
          ),
      );
      return yield* allNodes(context);
    });

/** False if the node's own lease ended before the request reached the database. */
const mayTakeOrphans = ({ sql }: Context, nodeId: string, orphans: Orphans) => {
  if (typeof orphans === 'string') return raw<boolean>`${orphans === 'any'}`;
  const own = sql.selectFrom('nodes').select('id').where('id', '=', nodeId);
  return raw<boolean>`exists (${own.where('expires_at', '=', orphans.ownLeaseEnd)})`;
};

const stillDead = ({ sql }: Context, dead: readonly DeadNode[]) =>
  sql
    .selectFrom('nodes')
    .select('nodes.id')
    .where((e) => e.or(dead.map(({ id, leaseEnd }) => e.and([e('id', '=', id), e('expires_at', '=', leaseEnd)]))));

function* seize(
  context: Context,
  dead: readonly DeadNode[],
  nodeId: string,
  deviceId: number,
  orphans: Orphans,
): Unit<Row | undefined> {
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
            e.or([e('node', 'in', stillDead(context, dead)), e('node', 'not in', e.selectFrom('nodes').select('id'))]),
          ]),
        ]),
      )
      .returning(columns),
  );
}

const acquire =
  (context: Context, watch: NodeWatch): LeaseStore['acquire'] =>
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
      const row = (yield* first(own)) ?? (yield* seize(context, watch.dead(), nodeId, deviceId, orphans));
      if (row !== undefined) return { kind: 'held' as const, lease: leaseOf(context, row) };
      const [owned] = yield* all(ownersOf(context, [deviceId]));
      const owner = ownerIn(watch, owned);
      if (owner === null) throw new LeaseLost(deviceId);
      return { kind: 'elsewhere' as const, owner };
    });

/** Starts from the few dead nodes, not the many healthy devices: every node runs this twice a second. */
function* leaving(context: Context, dead: readonly DeadNode[]): Unit<readonly string[]> {
  if (dead.length === 0) return [];
  const query = stillDead(context, dead).where((e) =>
    e.exists(e.selectFrom('leases').select('node').whereRef('leases.node', '=', 'nodes.id').where('wanted', '=', 1)),
  );
  return (yield* all(query)).map(({ id }) => id);
}

const take =
  (context: Context, watch: NodeWatch): LeaseStore['take'] =>
  async (nodeId, limit, orphans) => {
    const { sql, database } = context;
    const wanted = sql.selectFrom('leases').select('device_id').where('wanted', '=', 1).limit(limit);
    const dead = orphans === 'none' ? [] : watch.dead();
    if (orphans !== 'none' && dead.length === 0) return [];
    return database.write(function* () {
      const nodes = yield* leaving(context, dead);
      if (orphans !== 'none' && nodes.length === 0) return [];
      const candidates =
        orphans === 'none'
          ? wanted.where('node', 'is', null)
          : wanted
              .where('node', 'in', nodes)
              .where('node', 'in', stillDead(context, dead))
              .where(mayTakeOrphans(context, nodeId, orphans));
      const rows = yield* all(
        sql
          .updateTable('leases')
          .set((e) => ({ node: nodeId, epoch: e('epoch', '+', 1) }))
          // Locked rows are in use or being taken by others.
          .where('device_id', 'in', candidates.orderBy('device_id').forUpdate().skipLocked())
          .returning(columns),
      );
      return rows.map((row) => leaseOf(context, row));
    });
  };

const wantedBy = ({ session: { state, account } }: SessionMemo): boolean =>
  state.kind !== 'closed' || (state.reason === 'shutdown' && account !== null);

const leave =
  ({ sql, database }: Context): LeaseStore['leave'] =>
  (nodeId) =>
    database.write(function* () {
      yield* all(sql.updateTable('leases').set({ node: null }).where('node', '=', nodeId));
      yield* all(
        sql
          .deleteFrom('nodes')
          .where((e) => e.or([e('id', '=', nodeId), e('expires_at', '<', raw<number>`${dbNow} - 3600000`)]))
          // A node keeps its row until all its devices are taken.
          .where((e) =>
            e.not(e.exists(e.selectFrom('leases').select('node').whereRef('leases.node', '=', 'nodes.id'))),
          ),
      );
    });

/** `watch`: decides by this process's clock when a lease has ended. */
export const leaseStore = (context: Shared, watch = new NodeWatch()): LeaseStore => {
  const { sql, database, sealer } = context;
  const noteQuery = prepare((p: { deviceId: number; epoch: number; memo: SealedJson<SessionMemo>; wanted: number }) =>
    sql
      .updateTable('leases')
      .set({ memo: p.memo, wanted: p.wanted })
      .where((e) => e.and({ device_id: p.deviceId, epoch: p.epoch }))
      .where('node', 'is not', null)
      .returning('device_id'),
  );
  const heldQuery = finding(context, 'leases', ['device_id', 'epoch'], ['node', 'device_id']);
  return {
    renew: renew(context, watch),
    acquire: acquire(context, watch),
    take: take(context, watch),
    release: async (deviceId, epoch, wanted) => {
      const query = sql.updateTable('leases').set({ node: null, wanted: wanted ? 1 : 0 });
      await database.single(() => all(query.where('device_id', '=', deviceId).where('epoch', '=', epoch)));
    },
    note: async (deviceId, epoch, memo) => {
      const sealed = sealer.sealJson(memo, contextOf('leases.memo', { device_id: deviceId }));
      const wanted = wantedBy(memo) ? 1 : 0;
      const row = await database.single(() => noteQuery.first({ deviceId, epoch, memo: sealed, wanted }));
      if (row === undefined) throw new LeaseLost(deviceId);
    },
    held: async (nodeId, deviceId) => {
      const query = sql.selectFrom('leases').select(['device_id', 'epoch']).where('node', '=', nodeId);
      const one = deviceId === undefined ? null : { node: nodeId, device_id: deviceId };
      const rows = await database.read(() => (one === null ? all(query) : heldQuery.all(one)));
      return new Map(rows.map((row) => [row.device_id, row.epoch]));
    },
    find: async (deviceIds) => {
      if (deviceIds.length === 0) return new Map();
      const rows = await database.read(() => all(ownersOf(context, deviceIds)));
      return new Map(
        rows.map((row) => [
          row.device_id,
          { owner: ownerIn(watch, row), memo: memoOf(context, row.device_id, row.memo) },
        ]),
      );
    },
    nodes: () => watched(context, watch, () => allNodes(context)),
    leave: leave(context),
  };
};
