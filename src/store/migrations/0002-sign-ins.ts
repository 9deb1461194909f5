/** Browsers signed in to the dashboard. */
import type { Kysely, Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const createSignIns = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('sign_ins')
      .addColumn('hash', types.bytes, (c) => c.primaryKey())
      .addColumn('key_id', 'bigint', (c) => c.notNull().references('api_keys.id').onDelete('cascade'))
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('sign_ins_key').on('sign_ins').columns(['key_id', 'expires_at']).execute();
  },
});
