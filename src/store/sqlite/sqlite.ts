/** SQLite on `node:sqlite`: the one connection that runs units with group commit. */
import { closeSync, fdatasync, openSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Dialect } from 'kysely';
import { LRUCache } from 'lru-cache';
import { asError, messageOf, storeAway } from '../../errors.ts';
import { type Checkpoints, makeCheckpoints } from './checkpoint.ts';
import type { Durability } from '../base/durability.ts';
import { connect, dialectOf, inputs, moveLog } from './connection.ts';
import { diskErrorOf, inOurTerms, isBroken } from './disk-errors.ts';
import type { Call, Database, Rows, Unit, WriteOptions } from '../base/unit.ts';

interface Job {
  readonly unit: () => Unit<unknown>;
  readonly isUnflushed: boolean;
  result: unknown;
  readonly committed: ((result: never) => void) | undefined;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

const asRows = (rows: readonly unknown[]): Rows =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- typed by the query that made the statement
  rows as Rows;

const flushed = promisify(fdatasync);

const groupSize = 500;
const lookAfter = 16;
const statementCacheSize = 400;
const reopenMs = 1_000;

const storeClosed = (): Error => new Error('The store is closed');

interface Failure {
  readonly cause: unknown;
}

/** Each unit runs synchronously from its first statement to its last, so units never interleave. */
export class SqliteDatabase implements Database {
  readonly shared = false;
  readonly #path: string;
  #connection: DatabaseSync;
  readonly #failed: (error: Error) => void;
  #checkpoints: Checkpoints;
  readonly #statements = new LRUCache<string, StatementSync>({ max: statementCacheSize });
  readonly #isFlushed: boolean;
  /** Closing it loses no lock: SQLite has none on this file. */
  #log: number | null = null;
  #queue: Job[] = [];
  #running: Promise<void> | null = null;
  #flushing: Promise<unknown> | null = null;
  #closed = false;
  /** Set after a disk error: nothing is written until the file has been reopened. */
  #broken: Failure | null = null;
  #commits = 0;

  constructor(path: string, durability: Durability, failed: (error: Error) => void) {
    this.#path = path;
    this.#connection = connect(path);
    this.#isFlushed = durability === 'power';
    this.#failed = failed;
    this.#checkpoints = makeCheckpoints(this.#connection, path, failed);
  }

  dialect(): Dialect {
    return dialectOf(this.#connection);
  }

  async read<T>(unit: () => Unit<T>): Promise<T> {
    if (this.#closed) throw storeClosed();
    // Committed data can be read while the disk fails, even unflushed.
    if (this.#broken !== null && !this.#connection.isOpen) throw storeAway(this.#broken.cause);
    try {
      const result = this.#drive(unit);
      // The read may have seen what a power cut would undo.
      await this.#flushing;
      return result;
    } catch (error) {
      throw inOurTerms(error);
    }
  }

  write<T>(unit: () => Unit<T>, { committed, isUnflushed = false }: WriteOptions<T> = {}): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.#closed) reject(storeClosed());
    else {
      this.#queue.push({ unit, isUnflushed, result: undefined, committed, resolve, reject });
      this.#running ??= this.#run();
    }
    return promise;
  }

  async scrub(): Promise<void> {
    if (this.#closed) throw storeClosed();
    this.#connection.exec('pragma wal_checkpoint(truncate)');
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#running;
    await this.#checkpoints.close();
    this.#statements.clear();
    if (!this.#connection.isOpen) return;
    try {
      this.#connection.exec('pragma wal_checkpoint(truncate)');
    } catch (error) {
      // The log is read at the next start.
      this.#failed(asError(error));
    }
    this.#connection.close();
    this.#closeLog();
  }

  /** Group commit: writes of one turn of the event loop, or during a flush, share the next transaction and flush. */
  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      await setImmediate();
      const jobs = this.#queue.splice(0, groupSize);
      const failures = this.#commit(jobs);
      let isPromised = false;
      for (const job of jobs) isPromised ||= !job.isUnflushed && !failures.has(job);
      const lost = isPromised ? await this.#flush() : null;
      for (const job of jobs) {
        const failure = failures.get(job) ?? lost;
        if (failure !== null) {
          job.reject(inOurTerms(failure.cause));
          continue;
        }
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of its own unit
        const result = job.result as never;
        job.committed?.(result);
        job.resolve(result);
      }
    }
    this.#running = null;
  }

  async #flush(): Promise<Failure | null> {
    if (!this.#isFlushed) return null;
    try {
      this.#log ??= openSync(`${this.#path}-wal`, 'r+');
      this.#flushing = flushed(this.#log);
      await this.#flushing;
      return null;
    } catch (cause) {
      this.#failed(new Error(diskErrorOf(cause) ?? `the log cannot be flushed: ${messageOf(cause)}`, { cause }));
      this.#break({ cause });
      return { cause };
    } finally {
      this.#flushing = null;
    }
  }

  /** Returns the failed jobs, which changed nothing. */
  #commit(jobs: readonly Job[]): ReadonlyMap<Job, Failure> {
    const all = (failure: Failure): ReadonlyMap<Job, Failure> => new Map(jobs.map((job) => [job, failure]));
    if (this.#broken !== null) return all(this.#broken);
    const together = this.#transact(jobs, null);
    if (together === null) return new Map();
    if (jobs.length === 1 || this.#broken !== null) return all(together);
    // After a failure each job runs in a savepoint, so that it fails alone.
    const failures = new Map<Job, Failure>();
    const apart = this.#transact(jobs, failures);
    return apart === null ? failures : all(apart);
  }

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

  #closeLog(): void {
    if (this.#log !== null) closeSync(this.#log);
    this.#log = null;
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

  /** A flush that follows a failed one proves nothing, so everything committed is rewritten into the database and the file reopened. */
  async #reopen(): Promise<void> {
    await this.#checkpoints.close();
    if (this.#closed) return;
    if (this.#connection.isOpen) {
      moveLog(this.#connection);
      this.#statements.clear();
      this.#connection.close();
    }
    this.#closeLog();
    this.#connection = connect(this.#path);
    this.#checkpoints = makeCheckpoints(this.#connection, this.#path, this.#failed);
    this.#broken = null;
  }

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
    // Nobody reads the rows (`Prepared.changed`).
    return asRows(Array<null>(Number(statement.run(...values).changes)).fill(null));
  }
}
