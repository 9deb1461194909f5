/** How many look-ups each device has made on a day; without rows the count starts at zero. */
import type { Kysely, Migration } from 'kysely';

export const lookUps: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('look_ups')
      // The version before deletes devices and does not know this table.
      .addColumn('device_id', 'bigint', (c) => c.notNull().references('devices.id').onDelete('cascade'))
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('day', 'bigint', (c) => c.notNull())
      .addColumn('count', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('look_ups_pk', ['device_id', 'kind'])
      .execute();
  },
};
