/** Stored answers to creating requests with an `Idempotency-Key`. */
import type { Kysely, Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const createCreations = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('creations')
      .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('key_hash', 'text', (c) => c.notNull())
      .addColumn('fingerprint', 'text', (c) => c.notNull())
      .addColumn('answer', types.bytes, (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('creations_pk', ['user_id', 'key_hash'])
      .execute();
    await db.schema.createIndex('creations_age').on('creations').column('created_at').execute();
  },
});
