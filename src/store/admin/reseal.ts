/** Reseals every value with another secret, a few rows per transaction. Values already resealed are skipped. */
import { type Compilable, sql as text } from 'kysely';
import type { Context } from '../base/context.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { type Unit, all } from '../base/unit.ts';
import { type Row, type SealedTable, sealedTables } from './sealed-tables.ts';

const batch = 200;

const refs = (columns: readonly string[]) => text.join(columns.map((column) => text.ref(column)));

const page = ({ sql }: Context, { name, key, more = [], columns }: SealedTable, after: Row | null) => {
  const wanted = refs([...key, ...more, ...Object.keys(columns)]);
  const beyond =
    after === null ? text`` : text`where (${refs(key)}) > (${text.join(key.map((column) => after[column]))})`;
  const query = text<Row>`select ${wanted} from ${text.table(name)} ${beyond} order by ${refs(key)} limit ${text.lit(batch)}`;
  return compilable(query.compile(sql));
};

const compilable = <R>(compiled: ReturnType<Compilable<R>['compile']>): Compilable<R> => ({ compile: () => compiled });

const update = ({ sql }: Context, { name, key }: SealedTable, row: Row, set: Readonly<Record<string, Uint8Array>>) => {
  const values = text.join(Object.entries(set).map(([column, value]) => text`${text.ref(column)} = ${value}`));
  const where = text.join(
    key.map((column) => text`${text.ref(column)} = ${row[column]}`),
    text` and `,
  );
  return compilable(text`update ${text.table(name)} set ${values} where ${where}`.compile(sql));
};

const walk = async (
  context: Context,
  table: SealedTable,
  use: (rows: readonly Row[]) => Promise<void>,
): Promise<void> => {
  let last: Row | null = null;
  do {
    const after: Row | null = last;
    const rows: Row[] = await context.database.read(() => all(page(context, table, after)));
    if (rows.length > 0) await use(rows);
    last = rows.length === batch ? rows.at(-1)! : null;
  } while (last !== null);
};

const envelopes = ({ columns }: SealedTable, row: Row) =>
  Object.entries(columns).flatMap(([column, contextOf]) => {
    const envelope = row[column];
    return envelope instanceof Uint8Array ? [{ column, envelope, context: contextOf(row) }] : [];
  });

export const resealAll = async (context: Context, from: Sealer, to: Sealer): Promise<number> => {
  let count = 0;
  function* reseal(table: SealedTable, rows: readonly Row[]): Unit<void> {
    for (const row of rows) {
      const old = envelopes(table, row).filter(({ envelope }) => !to.made(envelope));
      if (old.length === 0) continue;
      const set = Object.fromEntries(
        old.map(({ column, envelope, context: name }) => [column, to.seal(from.open(envelope, name), name)]),
      );
      yield* all(update(context, table, row, set));
      count += old.length;
    }
  }
  for (const table of sealedTables) {
    await walk(context, table, (rows) => context.database.write(() => reseal(table, rows)));
  }
  return count;
};

/** Returns how many values there are. Throws SealBroken at the first that does not open. */
export const verifyAll = async (context: Context, sealer: Sealer): Promise<number> => {
  let count = 0;
  for (const table of sealedTables) {
    await walk(context, table, async (rows) => {
      for (const row of rows) {
        for (const { envelope, context: name } of envelopes(table, row)) {
          sealer.open(envelope, name);
          count += 1;
        }
      }
    });
  }
  return count;
};
