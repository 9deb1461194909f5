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
import { migrate } from './migrations/run.ts';
import { freeLeases } from './outbox.ts';
import { assertSecret, portsOf } from './ports.ts';
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

const openLocked = async (options: StoreOptions, lock: FolderLock): Promise<Stores> => {
  const { dataDir, clock, log } = options;
  const path = join(dataDir, 'handset.db');
  const seal: Seal = makeSeal(loadSecret(dataDir, options.secret, !existsSync(path)));
  makePrivateFile(path);
  const failed = (error: Error): void => log?.error({ error: error.message }, 'the disk work of the database failed');
  const database = new SqliteDatabase(path, failed);
  try {
    const sql = new Kysely<Schema>({ dialect: database.dialect() });
    await migrate(sql, sqliteTypes);
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

/** Throws an Error in plain words when the folder is in use, or its data sealed with another secret. */
export const openStore = async (options: StoreOptions): Promise<Stores> => {
  const { dataDir } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lockPath = join(dataDir, 'lock');
  makePrivateFile(lockPath);
  const lock = lockFolder(dataDir, lockPath);
  try {
    return await openLocked(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
};
