/** Statements that many tables share, prepared once. Their parameters have the names of columns. */
import { type Compilable, type Insertable, type RawBuilder, type Selectable, sql as text } from 'kysely';
import type { Context } from './context.ts';
import type { Schema } from './schema.ts';
import { prepare, prepareRows } from './unit.ts';

export const compiled = <R>({ sql }: Pick<Context, 'sql'>, query: RawBuilder<R>): Compilable<R> => {
  const made = query.compile(sql);
  return { compile: () => made };
};

type Params = Readonly<Record<string, unknown>>;
type Row<T extends keyof Schema, C> = Params & Pick<Insertable<Schema[T]>, C & keyof Insertable<Schema[T]>>;
type Column<T extends keyof Schema> = keyof Schema[T] & string;

const refs = (columns: readonly string[]) => text.join(columns.map((column) => text.ref(column)));

const insertOf = (table: string, columns: readonly string[], rows: readonly Params[]) => {
  const values = rows.map((row) => text`(${text.join(columns.map((column) => row[column]))})`);
  return text`insert into ${text.table(table)} (${refs(columns)}) values ${text.join(values)}`;
};

const whereSame = (columns: readonly string[], row: Params) =>
  text`where ${text.join(
    columns.map((column) => text`${text.ref(column)} = ${row[column]}`),
    text` and `,
  )}`;

/** Inserts rows; of those that are there already, it changes the `others`. */
export const putting = <T extends keyof Schema, K extends Column<T>, C extends Column<T>>(
  context: Pick<Context, 'sql'>,
  table: T,
  key: readonly K[],
  others: readonly C[],
) => {
  const set = text.join(others.map((column) => text`${text.ref(column)} = excluded.${text.ref(column)}`));
  return prepareRows((rows: Row<T, K | C>[]) =>
    compiled(
      context,
      text`${insertOf(table, [...key, ...others], rows)} on conflict (${refs(key)}) do update set ${set}`,
    ),
  );
};

/** Inserts rows, except those that are there already. */
export const adding = <T extends keyof Schema, C extends Column<T>>(
  context: Pick<Context, 'sql' | 'database'>,
  table: T,
  columns: readonly C[],
) =>
  prepareRows((rows: Row<T, C>[]) => {
    const counted = context.database.shared ? text`returning 1` : text``;
    return compiled(context, text`${insertOf(table, columns, rows)} on conflict do nothing ${counted}`);
  });

/** Deletes the rows that have these values. */
export const dropping = <T extends keyof Schema, C extends Column<T>>(
  context: Pick<Context, 'sql'>,
  table: T,
  columns: readonly C[],
) => prepare((row: Row<T, C>) => compiled(context, text`delete from ${text.table(table)} ${whereSame(columns, row)}`));

/** Selects `columns` of the rows that have these values. */
export const finding = <T extends keyof Schema, S extends Column<T>, C extends Column<T>>(
  context: Pick<Context, 'sql'>,
  table: T,
  columns: readonly S[],
  by: readonly C[],
) =>
  prepare((row: Row<T, C>) =>
    compiled(
      context,
      text<
        Pick<Selectable<Schema[T]>, S & keyof Selectable<Schema[T]>>
      >`select ${refs(columns)} from ${text.table(table)} ${whereSame(by, row)}`,
    ),
  );
