/** Opens the store of a data folder: its lock, its secret, its schema, and the ports over them. */
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import type { Clock } from '../domain/clock.ts';
import type { NetworkKind } from '../domain/client-version.ts';
import type { Stores } from '../domain/stores.ts';
import type { Logger } from '../log.ts';
import { type Context, FreshClaims, makeListeners } from './base/context.ts';
import { SuppressingUsers } from './chats/suppressing-users.ts';
import { finishRemovals } from './devices/device-removal.ts';
import type { Durability } from './base/durability.ts';
import { makeFolder } from './base/durable-files.ts';
import { assertNotLost, countGenerations } from './cluster/generation.ts';
import { type FolderLock, lockFolder } from './sqlite/lock.ts';
import { assertNetwork, assertSecret } from './sealing/data-markers.ts';
import { type Executed, assertReleased, expansionTable, migrate, requiredTable } from './migrations/run.ts';
import { freeLeases } from './webhooks/claim.ts';
import { releaseExpired } from './webhooks/fresh.ts';
import { finishWebhookRemovals } from './webhooks/webhooks.ts';
import { portsOf } from './ports.ts';
import type { Schema } from './base/schema.ts';
import { type Sealer, makeSealer } from './sealing/sealer.ts';
import { loadSecret } from './sealing/secret.ts';
import { sqliteTypes } from './sqlite/connection.ts';
import { SqliteDatabase } from './sqlite/sqlite.ts';
import { inPlainWords } from './sqlite/disk-errors.ts';

export interface StoreOptions {
  readonly dataDir: string;
  /** HANDSET_SECRET; null: the file `secret` in the data folder, made at the first start. */
  readonly secret: string | null;
  /** Default: `power`. */
  readonly durability?: Durability;
  readonly network?: NetworkKind;
  readonly clock?: Pick<Clock, 'now'>;
  readonly log?: Logger;
}

export const databaseOf = (dataDir: string): string => join(dataDir, 'handset.db');

/** Creates the file with mode 0600. Never opens an existing one: closing it would drop SQLite's locks on it. */
const makePrivateFile = (path: string): void => {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
};

const tellMs = 10_000;

/** Rate-limited: a full disk fails every commit. */
const tellNowAndThen = (log?: Logger): ((error: Error) => void) => {
  let last = -Infinity;
  return (error) => {
    if (performance.now() - last < tellMs) return;
    last = performance.now();
    const text = 'the database cannot be written to; writes resume by themselves once it can';
    log?.error({ reason: error.message }, text);
  };
};

export const executedIn = (path: string): Executed | null => {
  if (!existsSync(path)) return null;
  // Opened for writing, since a write cut off by a power failure is rolled back before reading.
  using database = new DatabaseSync(path, { timeout: 2_000 });
  database.exec('pragma query_only = on');
  const namesIn = (table: string): string[] | null => {
    const found = database.prepare("select name from sqlite_master where type = 'table' and name = ?").get(table);
    if (found === undefined) return null;
    const rows = database.prepare(`select name from ${table}`).all();
    return rows.map(({ name }) => String(name));
  };
  const required = namesIn(requiredTable);
  return required === null ? null : { required, expansions: namesIn(expansionTable) ?? [] };
};

/** Call before anything is written. Throws DevelopmentData. */
export const assertReleasedFile = (path: string): void => {
  const executed = executedIn(path);
  if (executed !== null) assertReleased(executed);
};

const openDatabase = async (path: string, durability: Durability = 'power', log?: Logger, broke = () => {}) => {
  assertReleasedFile(path);
  makePrivateFile(path);
  const tell = tellNowAndThen(log);
  const database = new SqliteDatabase(path, durability, (error) => {
    broke();
    tell(error);
  });
  try {
    const sql = new Kysely<Schema>({ dialect: database.dialect() });
    await migrate(sql, sqliteTypes);
    return { sql, database };
  } catch (error) {
    await database.close();
    throw error;
  }
};

const openLocked = async (options: StoreOptions, lock: FolderLock): Promise<Stores> => {
  const { dataDir, clock, log } = options;
  const path = databaseOf(dataDir);
  assertReleasedFile(path);
  if (!existsSync(path)) await assertNotLost(dataDir, false);
  const fresh = new FreshClaims();
  const sealer: Sealer = makeSealer(loadSecret(dataDir, options.secret, !existsSync(path)));
  const { sql, database } = await openDatabase(path, options.durability, log, fresh.renew);
  try {
    const listeners = makeListeners(fresh, log);
    const now = clock === undefined ? Date.now : clock.now.bind(clock);
    const suppressing = new SuppressingUsers();
    const context: Context = { sql, database, sealer, now, suppressing, fresh, published: listeners.tell };
    await assertSecret(context, dataDir);
    if (options.network !== undefined) await assertNetwork(context, options.network, dataDir);
    await freeLeases(context);
    await releaseExpired(context, Number.MAX_SAFE_INTEGER);
    await finishRemovals(context);
    await suppressing.load(context);
    await finishWebhookRemovals(context);
    const generations = await countGenerations(context, dataDir, log);
    return {
      ...portsOf(context),
      onEvents: listeners.add,
      onAway: null,
      cluster: null,
      close: async () => {
        await generations.close(() => database.close());
        lock.release();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
};

const lockedFolder = (dataDir: string): FolderLock => {
  makeFolder(dataDir);
  const lockPath = join(dataDir, 'lock');
  makePrivateFile(lockPath);
  return lockFolder(dataDir, lockPath);
};

/** Throws an Error in plain words when the folder is in use or cannot be written, or its data sealed with another secret. */
export const openStore = async (options: StoreOptions): Promise<Stores> => {
  const { dataDir } = options;
  let lock: FolderLock | null = null;
  try {
    lock = lockedFolder(dataDir);
    return await openLocked(options, lock);
  } catch (error) {
    lock?.release();
    throw inPlainWords(error, dataDir);
  }
};

export const withFolder = async <T>(dataDir: string, work: () => Promise<T>): Promise<T> => {
  const lock = lockedFolder(dataDir);
  try {
    return await work();
  } finally {
    lock.release();
  }
};

export const withDatabase = async <T>(
  path: string,
  sealer: Sealer,
  work: (context: Context) => Promise<T>,
): Promise<T> => {
  const { sql, database } = await openDatabase(path);
  try {
    const [suppressing, fresh] = [new SuppressingUsers(), new FreshClaims()];
    return await work({ sql, database, sealer, now: () => Date.now(), suppressing, fresh, published: () => {} });
  } finally {
    await database.close();
  }
};
