/** Opens the store several nodes share in one PostgreSQL; one node at a time migrates the schema. */
import { Kysely } from 'kysely';
import type { NetworkKind } from '../domain/client-version.ts';
import type { Clock } from '../domain/clock.ts';
import type { Stores } from '../domain/stores.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { type Context, FreshClaims, makeListeners } from './base/context.ts';
import { SuppressingUsers } from './chats/suppressing-users.ts';
import { finishRemovals } from './devices/device-removal.ts';
import { type Durability, assertSettings } from './base/durability.ts';
import { assertNotLost, countGenerations } from './cluster/generation.ts';
import { leaseStore } from './cluster/leases.ts';
import { type Executed, assertReleased, expansionTable, migrate, requiredTable } from './migrations/run.ts';
import { carryEvents } from './postgres/notifications.ts';
import { assertNetwork, assertSecret } from './sealing/data-markers.ts';
import { requestUnreachableMs } from './base/unit.ts';
import { portsOf } from './ports.ts';
import { PostgresDatabase, postgresTypes } from './postgres/postgres.ts';
import { rateStore } from './users/users.ts';
import type { Schema } from './base/schema.ts';
import { makeSealer } from './sealing/sealer.ts';

export interface PostgresStoreOptions {
  readonly databaseUrl: string;
  /** HANDSET_SECRET: nodes share no folder that could hold one. */
  readonly secret: string | null;
  /** Where this node records the database's generation; without it only a restored backup is detected. */
  readonly dataDir?: string | null;
  readonly connections?: number;
  /** Without it, the server's durability settings are not checked. */
  readonly durability?: Durability;
  readonly network?: NetworkKind;
  readonly clock?: Pick<Clock, 'now'>;
  readonly log?: Logger;
}

/** Advisory lock key, `Han` in ASCII and a number: held by one node at a time while it starts. */
export const startLock = 0x48_61_6e_01;
const aloneLock = 0x48_61_6e_02;

export const reachable = async (database: PostgresDatabase): Promise<void> => {
  try {
    const client = await database.connect();
    await client.end();
  } catch (error) {
    throw new Error(`HANDSET_DATABASE_URL: the database cannot be reached (${messageOf(error)})`, { cause: error });
  }
};

export const executedOn = async (database: PostgresDatabase): Promise<Executed | null> => {
  const ask = <T>(sql: string): Promise<readonly T[]> =>
    database.read(function* () {
      const rows: T[] = yield { sql, values: [] };
      return rows;
    });
  const namesIn = async (table: string): Promise<string[] | null> => {
    const [found] = await ask<{ there: boolean }>(`select to_regclass('${table}') is not null as there`);
    if (found?.there !== true) return null;
    return (await ask<{ name: string }>(`select name from ${table}`)).map(({ name }) => name);
  };
  const required = await namesIn(requiredTable);
  return required === null ? null : { required, expansions: (await namesIn(expansionTable)) ?? [] };
};

export const withPostgres = async <T>(
  databaseUrl: string,
  secret: string,
  work: (context: Context & { readonly database: PostgresDatabase }) => Promise<T>,
): Promise<T> => {
  const database = new PostgresDatabase(databaseUrl, 2, () => undefined);
  try {
    await reachable(database);
    const executed = await executedOn(database);
    if (executed !== null) assertReleased(executed);
    const sql = new Kysely<Schema>({ dialect: database.dialect() });
    const sealer = makeSealer(secret);
    const [suppressing, fresh] = [new SuppressingUsers(), new FreshClaims()];
    return await work({ sql, database, sealer, now: () => Date.now(), suppressing, fresh, published: () => {} });
  } finally {
    await database.close();
  }
};

const brokenWith =
  (fresh: FreshClaims, log: Logger | undefined) =>
  (error: Error): void => {
    fresh.renew();
    log?.warn({ error: error.message }, 'a database connection broke');
  };

export const openPostgresStore = async (options: PostgresStoreOptions): Promise<Stores> => {
  const { databaseUrl, secret, connections = 20, clock, log } = options;
  if (secret === null) {
    throw new Error('HANDSET_SECRET must be set with HANDSET_DATABASE_URL: every node seals with the same secret');
  }
  const fresh = new FreshClaims();
  const database = new PostgresDatabase(databaseUrl, connections, brokenWith(fresh, log));
  try {
    await reachable(database);
    if (options.durability === 'power') await assertSettings(database);
    const sql = new Kysely<Schema>({ dialect: database.dialect() });
    const listeners = makeListeners(fresh, log);
    const carrier: { publish: Context['published'] } = { publish: listeners.tell };
    const context = {
      sql,
      database,
      sealer: makeSealer(secret),
      now: () => clock?.now() ?? Date.now(),
      suppressing: new SuppressingUsers(),
      fresh,
      published: (events: Parameters<Context['published']>[0]) => carrier.publish(events),
    };
    const generations = await database.alone(startLock, async () => {
      const executed = await executedOn(database);
      if (executed !== null) assertReleased(executed);
      else if (typeof options.dataDir === 'string') await assertNotLost(options.dataDir, true);
      await migrate(sql, postgresTypes);
      await assertSecret(context, 'the database');
      if (options.network !== undefined) await assertNetwork(context, options.network, 'the database');
      await finishRemovals(context);
      return countGenerations(context, options.dataDir ?? null, log);
    });
    const missed = (): void => {
      context.suppressing.load(context).catch(() => undefined);
      listeners.missed();
    };
    const carried = await carryEvents(context, database, { ...listeners, missed }, log);
    await context.suppressing.load(context);
    carrier.publish = carried.publish;
    return {
      ...portsOf(context),
      cluster: {
        leases: leaseStore(context),
        rates: rateStore(context),
        alone: (run) => database.alone(aloneLock, run),
      },
      onEvents: listeners.add,
      onAway: (listener) => database.health.watch(requestUnreachableMs, listener),
      close: async () => {
        await carried.close();
        await generations.close(() => database.close());
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
};
