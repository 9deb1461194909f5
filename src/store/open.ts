/** Opens the store of a data folder: its lock, its secret, its schema, and the ports over them. */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import type { Clock } from '../domain/clock.ts';
import type { Stores } from '../domain/stores.ts';
import type { Logger } from '../log.ts';
import { auditStore } from './audit.ts';
import type { Context } from './context.ts';
import { credentialStore } from './credentials.ts';
import { finishRemovals, removeDevice } from './device-removal.ts';
import { deviceStore } from './devices.ts';
import { eventStore } from './events.ts';
import { idempotencyStore } from './idempotency.ts';
import { makeListeners } from './listeners.ts';
import { type FolderLock, lockFolder } from './lock.ts';
import { messageStore } from './messages.ts';
import { migrate } from './migrations/run.ts';
import { freeLeases, outbox } from './outbox.ts';
import { retention } from './retention.ts';
import type { Schema } from './schema.ts';
import { type Seal, SealBroken, makeSeal } from './seal.ts';
import { loadSecret } from './secret.ts';
import { SqliteDatabase, sqliteTypes } from './sqlite.ts';
import { all, first } from './unit.ts';
import { userStore } from './users.ts';
import { webhookStore } from './webhooks.ts';

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

const sealCheck = 'seal check';

/** The first start leaves a sealed mark; later starts must be able to open it. */
const assertSecret = async ({ sql, database, seal }: Context, dataDir: string): Promise<void> => {
  const mark = await database.read(() => first(sql.selectFrom('meta').select('value').where('name', '=', sealCheck)));
  if (mark === undefined) {
    const value = seal.sealJson(sealCheck, sealCheck);
    await database.write(() => all(sql.insertInto('meta').values({ name: sealCheck, value })));
    return;
  }
  try {
    seal.openJson(mark.value, sealCheck);
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause;
    throw new Error(`The data in ${dataDir} is sealed with another secret: start with the one it was made with`, {
      cause,
    });
  }
};

const portsOf = (context: Context): Omit<Stores, 'onEvents' | 'ping' | 'close'> => ({
  devices: deviceStore(context, removeDevice(context)),
  credentials: credentialStore(context),
  messages: messageStore(context),
  events: eventStore(context),
  idempotency: idempotencyStore(context),
  outbox: outbox(context),
  webhooks: webhookStore(context),
  users: userStore(context),
  retention: retention(context),
  audit: auditStore(context),
});

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
      ping: () =>
        database
          .read(() => all(sql.selectFrom('meta').select('name')))
          .then(
            () => true,
            () => false,
          ),
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
