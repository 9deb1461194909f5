/** Settings of devices beside their nine fields, as JSON: null means that all of them have their defaults. */
import type { Kysely, Migration } from 'kysely';

export const settings: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('devices').addColumn('settings', 'text').execute();
  },
};
