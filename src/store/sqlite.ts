/** SQLite on `node:sqlite`: the dialect for Kysely, and the one connection that runs units with group commit. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type Dialect, type Kysely, SqliteAdapter, SqliteDialect, sql } from 'kysely';
import { type Checkpoints, makeCheckpoints } from './checkpoint.ts';
import type { ColumnTypes } from './schema.ts';
import { diskTrouble, inOurTerms } from './trouble.ts';
import type { Call, Database, Rows, Unit } from './unit.ts';
import { type WalFlush, makeWalFlush } from './wal-flush.ts';

/** SQLite can roll back DDL, so a migration is all or nothing (Kysely leaves this off). */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

export const sqliteTypes: ColumnTypes = {
  bytes: sql`blob`,
  id: sql`integer`,
  times: sql`text`,
  // autoincrement: an id is never used again, so an event's id stays unique after its device is gone.
  identity: (column) => column.primaryKey().autoIncrement(),
  appendOnly: (table) =>
    ['update', 'delete'].map(
      (change) =>
        `create trigger ${table}_no_${change} before ${change} on ${table} begin select raise(abort, '${table} is append-only'); end`,
    ),
};

/**
 * WAL with `synchronous=NORMAL`: what is committed survives a kill -9, for the log is in the operating system's hands by
 * then. A power loss, or a crash of the whole machine, can take the commits of the last quarter of a second
 * (`wal-flush.ts`): whole ones and the newest only, never half of one, and never the file. FULL would keep them at the price
 * of a disk flush on the main thread in each commit.
 */
const connect = (path: string): DatabaseSync => {
  const connection = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true });
  connection.exec('pragma journal_mode = wal');
  connection.exec('pragma synchronous = normal');
  connection.exec('pragma secure_delete = on');
  connection.exec('pragma temp_store = memory');
  connection.exec('pragma cache_size = -16384');
  // Checkpoints are made by a thread (`checkpoint.ts`); this is for when it cannot keep up.
  connection.exec('pragma wal_autocheckpoint = 20000');
  // A first transaction makes the file of the log.
  connection.exec('begin immediate; commit');
  return connection;
};

/** Kysely's own SQLite dialect over a connection that it does not own. */
const dialectOf = (connection: DatabaseSync): Dialect => {
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
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => dialect.createIntrospector(db),
    createAdapter: () => new TransactionalAdapter(),
  };
};

/** A unit that waits for its transaction. */
interface Job {
  /** Runs the unit's statements and keeps the result. */
  readonly run: () => void;
  readonly committed: () => void;
  readonly failed: (error: unknown) => void;
}

/** Kysely types values as unknown; these are numbers, strings, bytes and null. */
const inputs = (values: readonly unknown[]): SQLInputValue[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- SQLite itself refuses anything else
  values as SQLInputValue[];

/** The query knows the type of its rows (`Unit`). */
const asRows = (rows: readonly unknown[]): Rows =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- typed by the query that made the statement
  rows as Rows;

/** Stands for rows that were changed and are not asked for (`Prepared.changed`). */
const changedRows = [null];
const changed = (count: number): readonly null[] => (count === 1 ? changedRows : Array<null>(count).fill(null));

/** How many units share one transaction at most, so that the event loop gets its turn. */
const groupSize = 500;
/** Transactions between two looks at the length of the log. */
const lookAfter = 16;
/** Compiled statements kept; a prepared query is always the same text. */
const statementCacheSize = 400;

/** The connection: units never interleave, for each runs from its first statement to its last in one go. */
export class SqliteDatabase implements Database {
  readonly shared = false;
  readonly #connection: DatabaseSync;
  readonly #failed: (error: Error) => void;
  readonly #walFlush: WalFlush;
  readonly #checkpoints: Checkpoints;
  readonly #statements = new Map<string, StatementSync>();
  #queue: Job[] = [];
  #scheduled = false;
  #closed = false;
  #commits = 0;
  #rolledBack: () => void = () => undefined;

  constructor(path: string, failed: (error: Error) => void) {
    this.#connection = connect(path);
    this.#failed = failed;
    this.#walFlush = makeWalFlush(`${path}-wal`, failed);
    this.#checkpoints = makeCheckpoints(this.#connection, path, failed);
  }

  /** For Kysely: to compile queries, and to run the migrations before anything else is asked for. */
  dialect(): Dialect {
    return dialectOf(this.#connection);
  }

  async read<T>(unit: () => Unit<T>): Promise<T> {
    this.#assertOpen();
    try {
      return this.#drive(unit);
    } catch (error) {
      throw inOurTerms(error);
    }
  }

  write<T>(unit: () => Unit<T>, committed?: (result: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#assertOpen();
      let result: { readonly value: T } | null = null;
      this.#queue.push({
        run: () => {
          result = { value: this.#drive(unit) };
        },
        committed: () => {
          committed?.(result!.value);
          resolve(result!.value);
        },
        failed: reject,
      });
      this.#schedule();
    });
  }

  single<T>(unit: () => Unit<T>): Promise<T> {
    return this.write(unit);
  }

  ahead<T>(unit: () => Unit<T>): Promise<T> {
    return this.write(unit);
  }

  async scrub(): Promise<void> {
    this.#assertOpen();
    this.#connection.exec('pragma wal_checkpoint(truncate)');
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    while (this.#queue.length > 0) this.#flush();
    this.#closed = true;
    await Promise.all([this.#walFlush.close(), this.#checkpoints.close()]);
    this.#statements.clear();
    try {
      this.#connection.exec('pragma wal_checkpoint(truncate)');
    } catch (error) {
      // The log stays beside the database, and is read at the next start.
      this.#failed(error instanceof Error ? error : new Error(String(error)));
    }
    this.#connection.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error('The store is closed');
  }

  /** Group commit: what is asked for in one turn of the event loop shares a transaction. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  #flush(): void {
    const jobs = this.#queue.splice(0, groupSize);
    if (jobs.length === 0) return;
    const error = this.#commit(jobs);
    if (error === null) {
      for (const job of jobs) job.committed();
    } else if (jobs.length === 1) {
      jobs[0]!.failed(inOurTerms(error.cause));
    } else {
      // One of them failed: each gets a transaction of its own, so that it fails alone.
      for (const job of jobs) this.#commitAlone(job);
    }
  }

  #commitAlone(job: Job): void {
    const error = this.#commit([job]);
    if (error === null) job.committed();
    else job.failed(inOurTerms(error.cause));
  }

  /** All of them in one transaction, or none; what went wrong, or null. */
  #commit(jobs: readonly Job[]): { readonly cause: unknown } | null {
    try {
      this.#execute({ sql: 'begin immediate', values: [] });
      for (const job of jobs) job.run();
      this.#execute({ sql: 'commit', values: [] });
    } catch (cause) {
      this.#rollBack();
      const trouble = diskTrouble(cause);
      if (trouble !== null) this.#failed(new Error(trouble, { cause }));
      return { cause };
    }
    this.#walFlush.dirty();
    this.#commits += 1;
    if (this.#commits % lookAfter === 0) this.#checkpoints.consider();
    return null;
  }

  /** Called when what a transaction has written is gone. */
  onRollback(listener: () => void): void {
    this.#rolledBack = listener;
  }

  /** On a disk that fails, SQLite may have done it already, and may fail once more: what counts is that nothing was committed. */
  #rollBack(): void {
    this.#rolledBack();
    try {
      if (this.#connection.isTransaction) this.#connection.exec('rollback');
    } catch (error) {
      this.#failed(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #drive<T>(unit: () => Unit<T>): T {
    const running = unit();
    let step = running.next();
    while (step.done !== true) step = running.next(this.#execute(step.value));
    return step.value;
  }

  #execute(call: Call): Rows {
    let statement = this.#statements.get(call.sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(call.sql);
      if (this.#statements.size >= statementCacheSize) this.#statements.delete(this.#statements.keys().next().value!);
      this.#statements.set(call.sql, statement);
    }
    const values = inputs(call.values);
    if (call.changes !== true) return asRows(statement.all(...values));
    return asRows(changed(Number(statement.run(...values).changes)));
  }
}
