/** A store in its own folder. */
import { mkdtemp, rm } from 'node:fs/promises';
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

/** Pass the test's clock, as deliveries become due by the store's clock. */
export const openTestStore = async (options: Partial<Omit<StoreOptions, 'dataDir'>> = {}): Promise<TestStore> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-store-'));
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
