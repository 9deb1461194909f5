/** The answers that requests with an `Idempotency-Key` are given again, where they made something other than a message. */
import type { Kysely, Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const answers = ({ bytes }: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('idempotency').addColumn('answer', bytes).execute();
  },
});
