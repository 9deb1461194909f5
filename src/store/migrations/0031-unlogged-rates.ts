/** Rates that a crash of the database may forget: counting a request need not wait for the disk. */
import { type Kysely, type Migration, sql } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const unloggedRates = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    for (const statement of types.unlogged('rates')) await sql.raw(statement).execute(db);
  },
});
