/** The connection to a SQLite file, how it is flushed, and the dialect for Kysely over it. */
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
import type { Durability } from '../base/durability.ts';
import type { ColumnTypes } from '../base/schema.ts';

/** SQLite can roll back DDL, so a migration is all or nothing (Kysely leaves this off). */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * SQLite plans a lone parameter after `limit` by its value, and prepares the statement anew for each value; a lookup then takes five times
 * as long.
 */
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

/** Kysely types values as unknown; these are numbers, strings, bytes and null. */
export const inputs = (values: readonly unknown[]): SQLInputValue[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- SQLite itself refuses anything else
  values as SQLInputValue[];

/** Moves the write-ahead log into the database and flushes both. Throws if another connection is reading. */
export const moveLog = (connection: DatabaseSync): void => {
  const { busy } = connection.prepare('pragma wal_checkpoint(truncate)').get() ?? {};
  if (busy !== 0) throw Object.assign(new Error('database is locked'), { errcode: 5 });
};

/**
 * WAL. With `power`, SQLite flushes the log within each commit (`synchronous=FULL`), so that nobody can see anything, in this
 * process or outside, that a power cut takes back. With `process` it leaves that to the operating system (`NORMAL`): what is committed
 * survives the death of the process; a power cut takes the newest commits, whole ones, and never the file.
 *
 * What stands in the log at this moment was written by a process that has ended, maybe before it was flushed, maybe after a flush
 * that failed: it can be read, and yet need not be on the disk, and a later flush proves nothing of it (https://lwn.net/Articles/752063/,
 * 2018-04-18). So all of it is written once more, into the database, before anybody reads it.
 */
export const connect = (path: string, durability: Durability): DatabaseSync => {
  const connection = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true });
  try {
    // Before the first page is written: later only `handset compact` can change it.
    connection.exec('pragma auto_vacuum = incremental');
    connection.exec('pragma journal_mode = wal');
    connection.exec(`pragma synchronous = ${durability === 'power' ? 'full' : 'normal'}`);
    // macOS has a call of its own for a flush that reaches the disk.
    if (durability === 'power') connection.exec('pragma fullfsync = on; pragma checkpoint_fullfsync = on');
    connection.exec('pragma secure_delete = on');
    connection.exec('pragma temp_store = memory');
    connection.exec('pragma cache_size = -4096');
    // Checkpoints are made by a thread (`checkpoint.ts`); this is for when it cannot keep up.
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
