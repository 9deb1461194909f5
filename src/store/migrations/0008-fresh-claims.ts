/** Deliveries that are claimed by the commit that writes them (docs/decisions/0044-posted-by-their-writer.md). */
import { type Kysely, type Migration, sql } from 'kysely';

export const addFreshClaims = (): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('deliveries').addColumn('claimed_by', 'bigint').execute();
    const index = db.schema.createIndex('deliveries_claimed').on('deliveries').column('created_at');
    await index.where(sql.ref('claimed_by'), 'is not', null).execute();
  },
});
