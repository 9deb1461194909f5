/** Attempts of deliveries, and deliveries that no longer hold back their chat. */
import type { Kysely, Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const attempts = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('deliveries').addColumn('failing_since', 'bigint').execute();
    await db.schema
      .alterTable('deliveries')
      .addColumn('late', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('deliveries')
      .addColumn('brought_forward', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('attempts')
      // The version before deletes devices and does not know this table.
      .addColumn('device_id', 'bigint', (c) => c.notNull().references('devices.id').onDelete('cascade'))
      .addColumn('seq', 'bigint', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addColumn('status', 'integer')
      .addColumn('duration_ms', 'bigint')
      .addColumn('detail', types.bytes)
      .addPrimaryKeyConstraint('attempts_pk', ['device_id', 'seq', 'at'])
      .execute();
  },
});
