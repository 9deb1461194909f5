/** Deletes in small transactions, so that other work runs in between. */
import { type RawBuilder, sql as text } from 'kysely';
import type { Context } from './context.ts';
import { compiled } from './statements.ts';
import type { Schema } from './schema.ts';
import { type Database, type Unit, all } from './unit.ts';

export const stepSize = 500;

/** Runs a unit until it returns fewer rows than a step has. Returns the number of all. */
export const inSteps = async (database: Database, step: () => Unit<readonly unknown[]>): Promise<number> => {
  for (let count = 0; ;) {
    const { length } = await database.write(step);
    count += length;
    if (length < stepSize) return count;
  }
};

export const deleteInSteps = async (
  { sql, database }: Pick<Context, 'sql' | 'database'>,
  table: keyof Schema,
  matching: RawBuilder<unknown>,
): Promise<number> => {
  const of = text`from ${text.table(table)} where ${matching} limit ${text.lit(stepSize)}`;
  const these = database.shared ? text`ctid = any(array(select ctid ${of}))` : text`rowid in (select rowid ${of})`;
  const query = text`delete from ${text.table(table)} where ${these} returning 1 as gone`;
  return inSteps(database, () => all(compiled({ sql }, query)));
};
