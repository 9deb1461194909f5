/**
 * Units of work, written once for every database: a unit is a generator that yields one statement at a time and is
 * resumed with its rows. SQLite drives it synchronously, a networked database awaits each step.
 */
import type { Compilable } from 'kysely';

/** One statement, ready to run. */
export interface Call {
  readonly sql: string;
  readonly values: readonly unknown[];
  /** Asks only how many rows it changed: that many empty rows come back (`Prepared.changed`). */
  readonly changes?: true;
}

/**
 * A unit must have no effect but its statements and must be repeatable: a failed neighbour in a shared transaction makes
 * it run again.
 */
export type Unit<T> = Generator<Call, T, Rows>;

/** Rows whose type the query knows: every use gives them its own. */
export type Rows = never[];

/** A database as the ports see it. */
export interface Database {
  /** True where other processes use it at the same time. */
  readonly shared: boolean;
  /** Runs a unit that only reads. `unreachableMs`: how long to wait for an unreachable database. */
  read<T>(unit: () => Unit<T>, unreachableMs?: number): Promise<T>;
  /**
   * Runs a unit in a transaction, all or nothing, and resolves when it is committed. `committed` is called at that moment,
   * in the order of the commits.
   */
  write<T>(unit: () => Unit<T>, committed?: (result: T) => void, unreachableMs?: number): Promise<T>;
  /** Runs a unit of one writing statement, which needs no transaction around it. */
  single<T>(unit: () => Unit<T>): Promise<T>;
  /** Runs a unit on a reserved connection, ahead of all that wait for one; each statement commits by itself. */
  ahead<T>(unit: () => Unit<T>): Promise<T>;
  /** Makes what was deleted unrecoverable from the files, as far as the database can. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

/** Stands for a value of one of the rows of parameters until it is known. */
class Placeholder {
  readonly row: number;
  readonly name: string;
  constructor(row: number, name: string) {
    this.row = row;
    this.name = name;
  }
}

type Params = Readonly<Record<string, unknown>>;

/** Compiles a query with placeholders in the place of its parameters' values; the result fills them in. */
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

/** A query compiled once, at its first use; run it with `yield* query.all({ … })`. */
export interface Prepared<P, R> {
  all(params: P): Unit<R[]>;
  first(params: P): Unit<R | undefined>;
  /**
   * Whether it changed a row. On a shared database the query returns what it changed; SQLite reports it by itself, and takes half as long
   * for a statement that returns nothing.
   */
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

/** Rows in one statement: 32, 16, or exactly as many up to 8, so that few queries are prepared for many. */
const [maxRows, manyRows, exactRows] = [32, 16, 8];

/** A statement that writes rows. */
export interface PreparedRows<Row> {
  /** Writes all of them, in as few statements as fit. Returns how many were changed, as `Prepared.changed` knows it. */
  write(rows: readonly Row[]): Unit<number>;
}

/** As `prepare`, for any number of rows of parameters. */
export const prepareRows = <Row extends Params>(build: (rows: Row[]) => Compilable): PreparedRows<Row> => {
  const compiled = new Map<number, ReturnType<typeof compileFor<Row>>>();
  return {
    *write(rows) {
      let changed = 0;
      for (let start = 0; start < rows.length;) {
        const left = rows.length - start;
        const count = left >= maxRows ? maxRows : left >= manyRows ? manyRows : Math.min(left, exactRows);
        const call = compiled.get(count) ?? compileFor(build, count);
        compiled.set(count, call);
        const found: unknown[] = yield call(rows.slice(start, start + count), true);
        changed += found.length;
        start += count;
      }
      return changed;
    },
  };
};

const compile = (query: Compilable): Call => {
  const { sql, parameters } = query.compile();
  return { sql, values: parameters };
};

/** Copies members by name, as placeholders have none to list. */
export const pick = <T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> => {
  const picked: Partial<Pick<T, K>> = {};
  for (const name of names) picked[name] = from[name];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- exactly these members
  return picked as Pick<T, K>;
};

/** Runs a query that is not worth preparing. */
export function* all<R>(query: Compilable<R>): Unit<R[]> {
  return yield compile(query);
}

export function* first<R>(query: Compilable<R>): Unit<R | undefined> {
  const rows: R[] = yield compile(query);
  return rows[0];
}
