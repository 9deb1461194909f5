/** A store in its own folder. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Stores } from '../../src/domain/stores.ts';
import { type StoreOptions, openStore } from '../../src/store/open-sqlite.ts';

export interface TestStore {
  readonly stores: Stores;
  readonly dataDir: string;
  /** Closes and reopens the store on the same folder, like a restart. */
  reopen(): Promise<Stores>;
  /** Runs a statement beside the store, as another version would. */
  execute(statement: string): Promise<void>;
  /** Size of all rows of a table. */
  bytesIn(table: string): Promise<number>;
  /** Closes the store and removes its folder. */
  close(): Promise<void>;
}

const openedOnce = async (): Promise<ReadonlyMap<string, Uint8Array>> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-store-'));
  await (await openStore({ dataDir, secret: null })).close();
  const names = (await readdir(dataDir)).filter((name) => name !== 'lock');
  const files = await Promise.all(names.map(async (name) => [name, await readFile(join(dataDir, name))] as const));
  await rm(dataDir, { recursive: true, force: true });
  return new Map(files);
};

let files: ReturnType<typeof openedOnce> | null = null;

/** A data folder with the schema and a secret: copied, as creating one takes longer than most tests. */
export const makeDataFolder = async (prefix: string): Promise<string> => {
  const dataDir = await mkdtemp(join(tmpdir(), prefix));
  for (const [name, bytes] of await (files ??= openedOnce()))
    await writeFile(join(dataDir, name), bytes, { mode: 0o600 });
  return dataDir;
};

/** Pass the test's clock, as deliveries become due by the store's clock. */
export const openTestStore = async (options: Partial<Omit<StoreOptions, 'dataDir'>> = {}): Promise<TestStore> => {
  const dataDir = await (options.secret ? mkdtemp(join(tmpdir(), 'handset-store-')) : makeDataFolder('handset-store-'));
  const open = (): Promise<Stores> => openStore({ secret: null, ...options, dataDir });
  let stores = await open();
  return {
    get stores() {
      return stores;
    },
    dataDir,
    reopen: async () => {
      await stores.close();
      stores = await open();
      return stores;
    },
    execute: async (statement) => {
      const database = new DatabaseSync(join(dataDir, 'handset.db'), { timeout: 5_000 });
      database.exec(statement);
      database.close();
    },
    bytesIn: async (table) => {
      const database = new DatabaseSync(join(dataDir, 'handset.db'), { timeout: 5_000 });
      const columns = database.prepare(`select name from pragma_table_info('${table}')`).all();
      const lengths = columns.map(({ name }) => `coalesce(length(cast("${String(name)}" as blob)), 0)`).join(' + ');
      const row = database.prepare(`select sum(${lengths}) as bytes from "${table}"`).get();
      database.close();
      return Number(row?.['bytes'] ?? 0);
    },
    close: async () => {
      await stores.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
