/**
 * Units of work, written once for both databases: a generator yields one statement at a time and is resumed with its rows.
 * SQLite drives it synchronously, PostgreSQL awaits each step.
 */
import { type Compilable, type RawBuilder, sql as text } from 'kysely';

export interface Call {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly changes?: true;
}

/** Must have no side effects and be repeatable: if another unit in the same transaction fails, it runs again. */
export type Unit<T> = Generator<Call, T, Rows>;

export type Rows = never[];

export interface WriteOptions<T> {
  /** Called when the transaction is committed, in commit order. */
  readonly committed?: (result: T) => void;
  /** How long to wait for an unreachable database. */
  readonly unreachableMs?: number;
  /** Resolves before the commit is flushed: a power cut may undo it. */
  readonly isUnflushed?: boolean;
}

export interface Database {
  readonly shared: boolean;
  /** `unreachableMs`: how long to wait for an unreachable database. */
  read<T>(unit: () => Unit<T>, unreachableMs?: number): Promise<T>;
  /** Resolves when the transaction is committed. */
  write<T>(unit: () => Unit<T>, options?: WriteOptions<T>): Promise<T>;
  /** Makes deleted data unrecoverable from the files, as far as the database can. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

class Placeholder {
  readonly row: number;
  readonly name: string;
  constructor(row: number, name: string) {
    this.row = row;
    this.name = name;
  }
}

type Params = Readonly<Record<string, unknown>>;

const compileFor = <P extends Params>(
  build: (rows: P[]) => Compilable,
  count: number,
): ((rows: readonly P[], changes?: true) => Call) => {
  const placeholders = Array.from({ length: count }, (_, row) => {
    const get = (_target: object, name: string): Placeholder => new Placeholder(row, name);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where placeholders pass for values
    return new Proxy({}, { get }) as P;
  });
  const { sql, values } = compile(build(placeholders));
  return (rows, changes) => {
    const filled: unknown[] = [];
    for (const value of values) filled.push(value instanceof Placeholder ? rows[value.row]![value.name] : value);
    return changes === true ? { sql, values: filled, changes } : { sql, values: filled };
  };
};

export interface Prepared<P, R> {
  all(params: P): Unit<R[]>;
  first(params: P): Unit<R | undefined>;
  /** Whether a row changed. SQLite reports this itself, in half the time of a statement that returns rows. */
  changed(params: P): Unit<boolean>;
}

export const prepare = <P extends Params, R>(build: (params: P) => Compilable<R>): Prepared<P, R> => {
  let compiled: ((rows: readonly P[], changes?: true) => Call) | null = null;
  const call = (params: P, changes?: true): Call => {
    compiled ??= compileFor(([row]: P[]) => build(row!), 1);
    return compiled([params], changes);
  };
  return {
    *all(params) {
      return yield call(params);
    },
    *first(params) {
      const rows: R[] = yield call(params);
      return rows[0];
    },
    *changed(params) {
      const rows: unknown[] = yield call(params, true);
      return rows.length > 0;
    },
  };
};

/** Rows per statement: 32, 16, or exactly 1 to 8, so that few queries are prepared. */
const [maxRows, manyRows, exactRows] = [32, 16, 8];

export interface PreparedRows<Row, R> {
  all(rows: readonly Row[]): Unit<R[]>;
  /** Returns how many rows changed. */
  write(rows: readonly Row[]): Unit<number>;
}

export const prepareRows = <Row extends Params, R>(build: (rows: Row[]) => Compilable<R>): PreparedRows<Row, R> => {
  const compiled = new Map<number, ReturnType<typeof compileFor<Row>>>();
  function* calls(rows: readonly Row[], changes?: true): Generator<Call, void, void> {
    for (let start = 0; start < rows.length;) {
      const left = rows.length - start;
      const count = left >= maxRows ? maxRows : left >= manyRows ? manyRows : Math.min(left, exactRows);
      const call = compiled.get(count) ?? compileFor(build, count);
      compiled.set(count, call);
      yield call(rows.slice(start, start + count), changes);
      start += count;
    }
  }
  return {
    *all(rows) {
      const found: R[] = [];
      for (const call of calls(rows)) found.push(...(yield call));
      return found;
    },
    *write(rows) {
      let changed = 0;
      for (const call of calls(rows, true)) changed += (yield call).length;
      return changed;
    },
  };
};

const compile = (query: Compilable): Call => {
  const { sql, parameters } = query.compile();
  return { sql, values: parameters };
};

export const pick = <T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> => {
  const picked: Partial<Pick<T, K>> = {};
  for (const name of names) picked[name] = from[name];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- exactly these members
  return picked as Pick<T, K>;
};

export function* all<R>(query: Compilable<R>): Unit<R[]> {
  return yield compile(query);
}

export function* first<R>(query: Compilable<R>): Unit<R | undefined> {
  const rows: R[] = yield compile(query);
  return rows[0];
}

/** A list of numbers as one parameter, so that one prepared query serves any length. */
export const numbersIn = ({ shared }: Pick<Database, 'shared'>, json: string): RawBuilder<unknown> =>
  shared
    ? text`(select value::bigint from jsonb_array_elements_text(${json}::jsonb))`
    : text`(select value from json_each(${json}))`;

/** The network waits this long for an acknowledgement, so the session need not end. */
export const sessionUnreachableMs = 90_000;
/** Sending: the caller must not be told of a failure while the message still goes out. */
export const sendUnreachableMs = 4_000;
/** A whole request; its own reads and writes do not wait at all. */
export const requestUnreachableMs = 4_500;
