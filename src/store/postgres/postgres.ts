/** PostgreSQL on `pg`: the dialect for Kysely, and the pool that runs each unit on one connection. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dialect, PostgresDialect, sql } from 'kysely';
import { Client, DatabaseError, Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { type Asking, DatabaseHealth, type HealthTimes, healthTimes } from './database-health.ts';
import { asError } from '../../errors.ts';
import { again, codeOf, inOurTerms, isAway, leavesOpen, tooManyConnections } from './errors.ts';
import type { ColumnTypes } from '../base/schema.ts';
import type { Call, Database, Rows, Unit, WriteOptions } from '../base/unit.ts';

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

/** Statement timeout. What is not stored by then failed and is retried. */
const answerMs = 10_000;
/** Limits how long a node paused within a transaction keeps its locks. */
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

const maxTries = 5;

const reserved = 4;

const awayMs = 250;

type Attempt<T> =
  | { readonly kind: 'committed'; readonly result: T }
  /** `unknown`: the commit was sent, so its outcome is unknown. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly unknown: boolean };

/** PostgreSQL's text type cannot hold U+0000. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\ufffd');

const storable = (value: unknown): unknown => {
  if (typeof value === 'string') return value.includes('\0') ? withoutNul(value) : value;
  return Array.isArray(value) ? value.map(storable) : value;
};

const rowsOf = (rows: unknown): Rows =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- typed by the query that made the statement
  rows as Rows;

const maxNamed = 400;

export class PostgresDatabase implements Database {
  readonly shared = true;
  readonly #url: string;
  readonly #pool: Pool;
  readonly #reserve: Pool;
  readonly #failed: (error: Error) => void;
  readonly #names = new Map<string, string>();
  readonly health: DatabaseHealth;

  constructor(url: string, connections: number, failed: (error: Error) => void, times: HealthTimes = healthTimes) {
    this.#url = url;
    this.#failed = failed;
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

  dialect(): Dialect {
    return new PostgresDialect({ pool: this.#pool });
  }

  async connect(): Promise<Client> {
    const client = new Client({ ...settingsOf(this.#url), query_timeout: 0, statement_timeout: 0, lock_timeout: 0 });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

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

  /** Retries a unit only if it certainly was not committed. */
  write<T>(
    unit: () => Unit<T>,
    { committed, unreachableMs = 0, isUnflushed = false }: WriteOptions<T> = {},
  ): Promise<T> {
    const begin = isUnflushed ? 'begin; set local synchronous_commit = off' : 'begin';
    return this.health.ask(unreachableMs, async (asking) => {
      const until = performance.now() + unreachableMs;
      for (let tries = 1; ;) {
        const attempt = await this.#attempt(begin, unit, asking);
        if (attempt.kind === 'committed') {
          committed?.(attempt.result);
          return attempt.result;
        }
        const { error, unknown } = attempt;
        this.#notice(error);
        if (unknown) this.#failed(asError(error));
        if (unknown || asking.over) throw inOurTerms(error);
        if (again.has(codeOf(error)) && tries < maxTries) tries += 1;
        else if (isAway(error) && performance.now() < until) await sleep(awayMs);
        else throw inOurTerms(error);
      }
    });
  }

  /** For one writing statement, which needs no transaction. */
  single<T>(unit: () => Unit<T>): Promise<T> {
    return this.read(unit);
  }

  /**
   * On a reserved connection, ahead of the queue; each statement commits by itself. Asks even while the database counts as unreachable:
   * that is how a node notices its return.
   */
  async ahead<T>(unit: () => Unit<T>): Promise<T> {
    try {
      return await this.#drive(unit, this.#reserve);
    } catch (error) {
      this.#notice(error);
      throw inOurTerms(error);
    }
  }

  async scrub(): Promise<void> {}

  async close(): Promise<void> {
    this.health.close();
    const open = [this.#pool, this.#reserve].filter((pool) => !pool.ended);
    await Promise.all(open.map((pool) => pool.end()));
  }

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

  async #attempt<T>(begin: string, unit: () => Unit<T>, asking: Asking): Promise<Attempt<T>> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      return { kind: 'failed', error, unknown: false };
    }
    let broken = false;
    let unknown = false;
    try {
      await client.query(begin);
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
