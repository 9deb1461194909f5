/** Hashes of the pieces of kept media; null where an earlier version has kept it. */
import type { Kysely, Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const keptPieces = ({ bytes }: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('kept_media').addColumn('pieces', bytes).execute();
  },
});
