/** SQLite on `node:sqlite`: the one connection that runs units with group commit. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dialect } from 'kysely';
import { LRUCache } from 'lru-cache';
import { asError, storeAway } from '../../errors.ts';
import { type Checkpoints, makeCheckpoints } from './checkpoint.ts';
import type { Durability } from '../base/durability.ts';
import { connect, dialectOf, inputs, moveLog } from './connection.ts';
import { diskErrorOf, inOurTerms, isBroken } from './disk-errors.ts';
import type { Call, Database, Rows, Unit } from '../base/unit.ts';

interface Job {
  readonly unit: () => Unit<unknown>;
  result: unknown;
  readonly committed: ((result: never) => void) | undefined;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The query that made the statement determines the type of its rows (`Unit`). */
const asRows = (rows: readonly unknown[]): Rows =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- typed by the query that made the statement
  rows as Rows;

/** Batch cap, so that one transaction cannot block the event loop for long. */
const groupSize = 500;
/** Transactions between two looks at the log's length. */
const lookAfter = 16;
/** Compiled statements kept; a prepared query always has one text. */
const statementCacheSize = 400;
/** Delay between attempts to reopen the file after a disk error. */
const reopenMs = 1_000;

interface Failure {
  readonly cause: unknown;
}

/** The only connection. Each unit runs synchronously from its first statement to its last, so units never interleave. */
export class SqliteDatabase implements Database {
  readonly shared = false;
  readonly #path: string;
  readonly #durability: Durability;
  #connection: DatabaseSync;
  readonly #failed: (error: Error) => void;
  #checkpoints: Checkpoints;
  readonly #statements = new LRUCache<string, StatementSync>({ max: statementCacheSize });
  #queue: Job[] = [];
  #scheduled = false;
  #closed = false;
  /** Set after a disk error: nothing is written until the file has been reopened. */
  #broken: Failure | null = null;
  #commits = 0;

  constructor(path: string, durability: Durability, failed: (error: Error) => void) {
    this.#path = path;
    this.#durability = durability;
    this.#connection = connect(path, durability);
    this.#failed = failed;
    this.#checkpoints = makeCheckpoints(this.#connection, path, failed);
  }

  /** Kysely's dialect: it compiles queries, and runs the migrations at the start. */
  dialect(): Dialect {
    return dialectOf(this.#connection);
  }

  async read<T>(unit: () => Unit<T>): Promise<T> {
    this.#assertOpen();
    // Committed data can be read while the disk fails: it was flushed before.
    if (this.#broken !== null && !this.#connection.isOpen) throw storeAway(this.#broken.cause);
    try {
      return this.#drive(unit);
    } catch (error) {
      throw inOurTerms(error);
    }
  }

  write<T>(unit: () => Unit<T>, committed?: (result: T) => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.#closed) reject(new Error('The store is closed'));
    else {
      this.#queue.push({ unit, result: undefined, committed, resolve, reject });
      this.#schedule();
    }
    return promise;
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
    await this.#checkpoints.close();
    this.#statements.clear();
    if (!this.#connection.isOpen) return;
    try {
      this.#connection.exec('pragma wal_checkpoint(truncate)');
    } catch (error) {
      // The log stays beside the database, and is read at the next start.
      this.#failed(asError(error));
    }
    this.#connection.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error('The store is closed');
  }

  /** Group commit: the writes of one turn of the event loop share a transaction. */
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
    const failures = this.#commit(jobs);
    for (const job of jobs) {
      const failure = failures.get(job);
      if (failure !== undefined) {
        job.reject(inOurTerms(failure.cause));
        continue;
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of its own unit
      const result = job.result as never;
      job.committed?.(result);
      job.resolve(result);
    }
  }

  /** Runs all jobs in one transaction with one flush. Returns the jobs that failed, which have changed nothing. */
  #commit(jobs: readonly Job[]): ReadonlyMap<Job, Failure> {
    const all = (failure: Failure): ReadonlyMap<Job, Failure> => new Map(jobs.map((job) => [job, failure]));
    if (this.#broken !== null) return all(this.#broken);
    const together = this.#transact(jobs, null);
    if (together === null) return new Map();
    if (jobs.length === 1 || this.#broken !== null) return all(together);
    // One of them failed: each runs in a savepoint, so that it fails alone.
    const failures = new Map<Job, Failure>();
    const apart = this.#transact(jobs, failures);
    return apart === null ? failures : all(apart);
  }

  /** Runs the jobs in a transaction. Returns the failure, or null. `failures`: each job may fail by itself, and is noted there. */
  #transact(jobs: readonly Job[], failures: Map<Job, Failure> | null): Failure | null {
    try {
      this.#execute({ sql: 'begin immediate', values: [] });
      for (const job of jobs) {
        if (failures === null) job.result = this.#drive(job.unit);
        else this.#runApart(job, failures);
      }
      this.#execute({ sql: 'commit', values: [] });
    } catch (cause) {
      this.#rollBack();
      const words = diskErrorOf(cause);
      if (words !== null) this.#failed(new Error(words, { cause }));
      if (isBroken(cause)) this.#break({ cause });
      return { cause };
    }
    this.#commits += 1;
    if (this.#commits % lookAfter === 0) this.#checkpoints.consider();
    return null;
  }

  #runApart(job: Job, failures: Map<Job, Failure>): void {
    this.#connection.exec('savepoint apart');
    try {
      job.result = this.#drive(job.unit);
    } catch (cause) {
      // A disk error ends the whole transaction.
      if (isBroken(cause) || !this.#connection.isTransaction) throw cause;
      failures.set(job, { cause });
      this.#connection.exec('rollback to apart');
    }
    this.#connection.exec('release apart');
  }

  #break(failure: Failure): void {
    this.#broken = failure;
    void this.#reopenInTime();
  }

  async #reopenInTime(): Promise<void> {
    while (this.#broken !== null && !this.#closed) {
      await sleep(reopenMs, undefined, { ref: false });
      try {
        await this.#reopen();
      } catch (error) {
        this.#failed(asError(error));
      }
    }
  }

  /**
   * After a failed write or flush, a later flush that succeeds proves nothing about earlier writes. So everything committed is
   * written again, into the database; the failed writes go with the log; then the file is opened as at a start.
   */
  async #reopen(): Promise<void> {
    await this.#checkpoints.close();
    if (this.#closed) return;
    if (this.#connection.isOpen) {
      moveLog(this.#connection);
      this.#statements.clear();
      this.#connection.close();
    }
    this.#connection = connect(this.#path, this.#durability);
    this.#checkpoints = makeCheckpoints(this.#connection, this.#path, this.#failed);
    this.#broken = null;
  }

  /** On a disk error SQLite may have rolled back already, or may fail again; either way nothing was committed. */
  #rollBack(): void {
    try {
      if (this.#connection.isTransaction) this.#connection.exec('rollback');
    } catch (error) {
      this.#failed(asError(error));
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
      this.#statements.set(call.sql, statement);
    }
    const values = inputs(call.values);
    if (call.changes !== true) return asRows(statement.all(...values));
    // Nobody reads them (`Prepared.changed`).
    return asRows(Array<null>(Number(statement.run(...values).changes)).fill(null));
  }
}
