/** The connection to a SQLite file, how it is flushed, and its Kysely dialect. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import {
  type Dialect,
  type Kysely,
  type LimitNode,
  SqliteAdapter,
  SqliteDialect,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

/** SQLite can roll back DDL, so a migration is atomic (Kysely leaves this off). */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** SQLite plans a lone parameter after `limit` by its value and re-prepares for each value: a look-up then takes five times as long. */
class SteadyPlans extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit cast(');
    this.visitNode(node.limit);
    this.append(' as integer)');
  }
}

export const sqliteTypes: ColumnTypes = {
  bytes: sql`blob`,
  id: sql`integer`,
  times: sql`text`,
  // autoincrement never reuses an id, so event ids stay unique after a device is gone.
  identity: (column) => column.primaryKey().autoIncrement(),
  appendOnly: (table) =>
    ['update', 'delete'].map(
      (change) =>
        `create trigger ${table}_no_${change} before ${change} on ${table} begin select raise(abort, '${table} is append-only'); end`,
    ),
  // A single process counts in memory.
  unlogged: () => [],
};

export const inputs = (values: readonly unknown[]): SQLInputValue[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- SQLite itself refuses anything else
  values as SQLInputValue[];

/** Moves the log into the database and flushes both. Throws if another connection is reading. */
export const moveLog = (connection: DatabaseSync): void => {
  const { busy } = connection.prepare('pragma wal_checkpoint(truncate)').get() ?? {};
  if (busy !== 0) throw Object.assign(new Error('database is locked'), { errcode: 5 });
};

/**
 * WAL with `synchronous=NORMAL`: commits survive the death of the process. `sqlite.ts` makes them survive a power cut before
 * anyone sees them.
 * The log found here may never have been flushed, or a flush of it may have failed, after which a later flush proves nothing
 * (https://lwn.net/Articles/752063/, 2018-04-18). So all of it is written into the database before anything is read.
 */
export const connect = (path: string): DatabaseSync => {
  const connection = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true });
  try {
    // Before the first page is written: later only `handset compact` can change it.
    connection.exec('pragma auto_vacuum = incremental');
    connection.exec('pragma journal_mode = wal');
    connection.exec('pragma synchronous = normal');
    // On macOS only this flushes to the disk itself.
    connection.exec('pragma fullfsync = on; pragma checkpoint_fullfsync = on');
    connection.exec('pragma secure_delete = on');
    connection.exec('pragma temp_store = memory');
    connection.exec('pragma cache_size = -4096');
    // Only if the thread (`checkpoint.ts`) cannot keep up.
    connection.exec('pragma wal_autocheckpoint = 20000');
    moveLog(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
};

export const dialectOf = (connection: DatabaseSync): Dialect => {
  const dialect = new SqliteDialect({
    database: {
      close: () => undefined,
      prepare: (text) => {
        const statement = connection.prepare(text);
        return {
          reader: statement.columns().length > 0,
          all: (values) => statement.all(...inputs(values)),
          run: (values) => statement.run(...inputs(values)),
          iterate: (values) => statement.iterate(...inputs(values)),
        };
      },
    },
  });
  return {
    createDriver: () => dialect.createDriver(),
    createQueryCompiler: () => new SteadyPlans(),
    createIntrospector: (db: Kysely<unknown>) => dialect.createIntrospector(db),
    createAdapter: () => new TransactionalAdapter(),
  };
};
