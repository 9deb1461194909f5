/** People whom users do not write to, and the proxies of devices. */
import type { Kysely, Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const suppressions = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('suppressions')
      .addColumn('id', types.id, types.identity)
      // The version before deletes users and does not know this table.
      .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('number_hash', 'text')
      .addColumn('lid_hash', 'text')
      .addColumn('data', types.bytes, (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    const index = (name: string) => db.schema.createIndex(name).on('suppressions').unique();
    await index('suppressions_number').columns(['user_id', 'number_hash']).execute();
    await index('suppressions_lid').columns(['user_id', 'lid_hash']).execute();
    await db.schema.alterTable('devices').addColumn('proxy', types.bytes).execute();
  },
});
