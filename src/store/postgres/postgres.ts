/** PostgreSQL on `pg`: the dialect for Kysely, and the pool that runs each unit on one connection. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dialect, PostgresDialect, sql } from 'kysely';
import { Client, DatabaseError, Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { storeAway } from '../../errors.ts';
import { type Asking, DatabaseHealth, type HealthTimes, healthTimes } from './database-health.ts';
import type { ColumnTypes } from '../base/schema.ts';
import type { Call, Database, Rows, Unit } from '../base/unit.ts';

export const postgresTypes: ColumnTypes = {
  bytes: sql`bytea`,
  id: sql`bigint`,
  times: sql`bigint[]`,
  identity: (column) => column.primaryKey().generatedByDefaultAsIdentity(),
  appendOnly: (table) => [
    `create function ${table}_append_only() returns trigger language plpgsql as $$ begin raise exception '${table} is append-only'; end $$`,
    `create trigger ${table}_append_only before update or delete on ${table} for each row execute function ${table}_append_only()`,
  ],
  unlogged: (table) => [`alter table ${table} set unlogged`],
};

const int8 = 20;

/** Ids, counts and times all fit in 2^53. */
const parsers: PoolConfig['types'] = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text'),
};

/** Time limit of one statement. What is not stored by then has failed and is retried. */
const answerMs = 10_000;
/** Limits how long a node that is paused within a transaction keeps its locks. */
const idleInTransactionMs = 5_000;

const settingsOf = (url: string): PoolConfig => ({
  connectionString: url,
  types: parsers,
  application_name: 'handset',
  connectionTimeoutMillis: 5_000,
  query_timeout: answerMs,
  statement_timeout: answerMs,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: idleInTransactionMs,
  keepAlive: true,
});

/** Serialization failure and deadlock: PostgreSQL asks clients to retry these. */
const again = new Set(['40001', '40P01']);
const maxTries = 5;

/** One is enough while the database answers; while it is silent, each attempt may need another. */
const reserved = 4;

const awayMs = 250;

type Attempt<T> =
  | { readonly kind: 'committed'; readonly result: T }
  /** `unknown`: the commit had been sent, so its outcome is not known. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly unknown: boolean };

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** too_many_connections: the server is up, so this does not count as unreachable. */
const tooManyConnections = '53300';

/**
 * The server is stopping, starting, out of space or read-only, or the connection is broken. `pg` has no codes for its own time
 * limits.
 */
const isAway = (error: unknown): boolean =>
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|57P0|08|53|25006)/.test(codeOf(error)) ||
  (error instanceof Error &&
    /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout (exceeded|expired))/i.test(
      error.message,
    ));

/** A lock or the statement itself has taken too long. */
const isBusy = (error: unknown): boolean => /^(55P03|57014)$/.test(codeOf(error)) || again.has(codeOf(error));

/** Errors that only the operator can fix become Unavailable. */
const inOurTerms = (error: unknown): unknown => (isAway(error) || isBusy(error) ? storeAway(error) : error);

/**
 * Whether a `commit` that failed with this error may have succeeded all the same. The server answers a commit with an error only if it
 * did not (not even the shutdown notice, 57P01, comes after it), and a connection known to be broken has not carried it. The error of a pooler
 * in the server's place (it names no routine of the server's source) proves nothing.
 */
const leavesOpen = (error: unknown): boolean => {
  if (error instanceof DatabaseError) return error.routine === undefined;
  return !(error instanceof Error && error.message.endsWith(' is not queryable'));
};

/** PostgreSQL's text type cannot hold U+0000, which texts of the network and paths may contain. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\ufffd');

const storable = (value: unknown): unknown => {
  if (typeof value === 'string') return value.includes('\0') ? withoutNul(value) : value;
  return Array.isArray(value) ? value.map(storable) : value;
};

/** The query that made the statement determines the type of its rows (`Unit`). */
const rowsOf = (rows: unknown): Rows =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- typed by the query that made the statement
  rows as Rows;

/** Statements that each connection keeps prepared; a prepared query always has one text. */
const maxNamed = 400;

export class PostgresDatabase implements Database {
  readonly shared = true;
  readonly #url: string;
  readonly #pool: Pool;
  /** For statements that must not queue: a node whose renewal has to wait loses its lease. */
  readonly #reserve: Pool;
  readonly #names = new Map<string, string>();
  readonly health: DatabaseHealth;

  constructor(url: string, connections: number, failed: (error: Error) => void, times: HealthTimes = healthTimes) {
    this.#url = url;
    this.health = new DatabaseHealth(() => this.#answers(times.probeMs), times);
    this.#pool = new Pool({ ...settingsOf(url), max: connections });
    this.#reserve = new Pool({ ...settingsOf(url), max: reserved });
    for (const pool of [this.#pool, this.#reserve]) {
      // An idle connection that breaks is replaced at its next use.
      pool.on('error', failed);
      // A connection that breaks in use reports it twice: to the query, and as an event that needs a listener.
      pool.on('connect', (client) => client.on('error', () => undefined));
    }
  }

  /** Kysely's dialect: it compiles queries, and runs the migrations at the start. */
  dialect(): Dialect {
    return new PostgresDialect({ pool: this.#pool });
  }

  /** Opens a connection outside the pool: for `LISTEN`, and for a lock that spans transactions. */
  async connect(): Promise<Client> {
    const client = new Client({ ...settingsOf(this.#url), query_timeout: 0, statement_timeout: 0, lock_timeout: 0 });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Runs `run` under an advisory lock: one process at a time. */
  async alone<T>(key: number, run: () => Promise<T>): Promise<T> {
    const client = await this.connect();
    client.on('error', () => undefined);
    try {
      await client.query('select pg_advisory_lock($1)', [key]);
      return await run();
    } finally {
      await client.end();
    }
  }

  read<T>(unit: () => Unit<T>, unreachableMs = 0): Promise<T> {
    return this.health.ask(unreachableMs, async (asking) => {
      const until = performance.now() + unreachableMs;
      for (;;) {
        try {
          return await this.#drive(unit, this.#pool);
        } catch (error) {
          this.#notice(error);
          if (!isAway(error) || asking.over || performance.now() >= until) throw inOurTerms(error);
          await sleep(awayMs);
        }
      }
    });
  }

  /** Retries a unit only while it certainly was not committed. */
  write<T>(unit: () => Unit<T>, committed?: (result: T) => void, unreachableMs = 0): Promise<T> {
    return this.health.ask(unreachableMs, async (asking) => {
      const until = performance.now() + unreachableMs;
      for (let tries = 1; ;) {
        const attempt = await this.#attempt(unit, asking);
        if (attempt.kind === 'committed') {
          committed?.(attempt.result);
          return attempt.result;
        }
        const { error, unknown } = attempt;
        this.#notice(error);
        if (unknown || asking.over) throw inOurTerms(error);
        if (again.has(codeOf(error)) && tries < maxTries) tries += 1;
        else if (isAway(error) && performance.now() < until) await sleep(awayMs);
        else throw inOurTerms(error);
      }
    });
  }

  single<T>(unit: () => Unit<T>): Promise<T> {
    return this.read(unit);
  }

  /** Asks even while the database counts as unreachable: that is how a node finds out. */
  async ahead<T>(unit: () => Unit<T>): Promise<T> {
    try {
      return await this.#drive(unit, this.#reserve);
    } catch (error) {
      this.#notice(error);
      throw inOurTerms(error);
    }
  }

  /** Autovacuum does this. */
  async scrub(): Promise<void> {}

  async close(): Promise<void> {
    this.health.close();
    const open = [this.#pool, this.#reserve].filter((pool) => !pool.ended);
    await Promise.all(open.map((pool) => pool.end()));
  }

  /** Probes the server on a new connection, since an old one may be dead. */
  async #answers(ms: number): Promise<void> {
    const limits = { connectionTimeoutMillis: ms, query_timeout: ms };
    const client = new Client({ ...settingsOf(this.#url), ...limits });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select 1');
    } catch (error) {
      if (isAway(error) && codeOf(error) !== tooManyConnections) throw error;
    } finally {
      client.end().catch(() => undefined);
    }
  }

  #notice(error: unknown): void {
    if (isAway(error)) this.health.suspect();
    else if (error instanceof DatabaseError) this.health.heard();
  }

  async #attempt<T>(unit: () => Unit<T>, asking: Asking): Promise<Attempt<T>> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      return { kind: 'failed', error, unknown: false };
    }
    let broken = false;
    let unknown = false;
    try {
      await client.query('begin');
      const result = await this.#drive(unit, client);
      if (asking.over) throw new Error('nobody waits for it any more');
      asking.committing = true;
      unknown = true;
      await client.query('commit');
      return { kind: 'committed', result };
    } catch (error) {
      broken = !(await this.#rolledBack(client));
      return { kind: 'failed', error, unknown: unknown && leavesOpen(error) };
    } finally {
      asking.committing = false;
      client.release(broken);
    }
  }

  async #rolledBack(client: PoolClient): Promise<boolean> {
    try {
      await client.query('rollback');
      return true;
    } catch {
      return false;
    }
  }

  async #drive<T>(unit: () => Unit<T>, on: Pick<PoolClient, 'query'>): Promise<T> {
    const running = unit();
    let step = running.next();
    while (step.done !== true) step = running.next(await this.#execute(step.value, on));
    return step.value;
  }

  async #execute(call: Call, on: Pick<PoolClient, 'query'>): Promise<Rows> {
    const name = this.#nameOf(call.sql);
    const answer = await on.query({
      text: call.sql,
      values: call.values.map(storable),
      ...(name === null ? {} : { name }),
    });
    this.health.heard();
    return rowsOf(answer.rows);
  }

  #nameOf(text: string): string | null {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= maxNamed) return null;
    const name = createHash('sha1').update(text).digest('base64url');
    this.#names.set(text, name);
    return name;
  }
}
