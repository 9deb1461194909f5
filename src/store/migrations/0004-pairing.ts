/** Pairings under way: a restart of the service continues them. */
import type { Kysely, Migration } from 'kysely';

export const pairing: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('devices').addColumn('pairing_at', 'bigint').execute();
  },
};
