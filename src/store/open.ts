/** Opens the store of a data folder: its lock, its secret, its schema, and the ports over them. */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import type { Clock } from '../domain/clock.ts';
import type { Stores } from '../domain/stores.ts';
import type { Logger } from '../log.ts';
import type { Context } from './context.ts';
import { finishRemovals } from './device-removal.ts';
import { makeListeners } from './listeners.ts';
import { type FolderLock, lockFolder } from './lock.ts';
import { assertSecret } from './marks.ts';
import { migrate } from './migrations/run.ts';
import { freeLeases } from './outbox.ts';
import { portsOf } from './ports.ts';
import type { Schema } from './schema.ts';
import { type Seal, makeSeal } from './seal.ts';
import { loadSecret } from './secret.ts';
import { SqliteDatabase, sqliteTypes } from './sqlite.ts';

export interface StoreOptions {
  readonly dataDir: string;
  /** HANDSET_SECRET; null: the file `secret` in the data folder, made at the first start. */
  readonly secret: string | null;
  readonly clock?: Pick<Clock, 'now'>;
  readonly log?: Logger;
}

/** Makes the file for its owner alone. Never opens one that exists: closing it again would drop SQLite's locks on it. */
const makePrivateFile = (path: string): void => {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
};

/** The database of a folder that is locked; its schema is the present one. */
const openDatabase = async (dataDir: string, log?: Logger) => {
  const path = join(dataDir, 'handset.db');
  makePrivateFile(path);
  const failed = (error: Error): void => log?.error({ error: error.message }, 'the disk work of the database failed');
  const database = new SqliteDatabase(path, failed);
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
  const seal: Seal = makeSeal(loadSecret(dataDir, options.secret, !existsSync(join(dataDir, 'handset.db'))));
  const { sql, database } = await openDatabase(dataDir, log);
  try {
    const listeners = makeListeners(log);
    const context: Context = { sql, database, seal, now: () => clock?.now() ?? Date.now(), published: listeners.tell };
    await assertSecret(context, dataDir);
    await freeLeases(context);
    await finishRemovals(context);
    return {
      ...portsOf(context),
      onEvents: listeners.add,
      cluster: null,
      close: async () => {
        await database.close();
        lock.release();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
};

const lockedFolder = (dataDir: string): FolderLock => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lockPath = join(dataDir, 'lock');
  makePrivateFile(lockPath);
  return lockFolder(dataDir, lockPath);
};

/** Throws an Error in plain words when the folder is in use, or its data sealed with another secret. */
export const openStore = async (options: StoreOptions): Promise<Stores> => {
  const lock = lockedFolder(options.dataDir);
  try {
    return await openLocked(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
};

/** Offline work on a folder that nobody else may use meanwhile, with a seal that nobody has checked yet. */
export const withFolder = async <T>(
  dataDir: string,
  work: (contextOf: (seal: Seal) => Promise<Context>) => Promise<T>,
): Promise<T> => {
  const lock = lockedFolder(dataDir);
  let opened: SqliteDatabase | null = null;
  try {
    return await work(async (seal) => {
      const { sql, database } = await openDatabase(dataDir);
      opened = database;
      return { sql, database, seal, now: () => Date.now(), published: () => undefined };
    });
  } finally {
    await closeAny(opened);
    lock.release();
  }
};

const closeAny = async (database: SqliteDatabase | null): Promise<void> => database?.close();
