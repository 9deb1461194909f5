/** Statuses of the last day, and who got and saw the account's own. */
import type { Kysely, Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const createStatuses = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('statuses')
      .addColumn('device_id', 'bigint', (c) => c.notNull().references('devices.id').onDelete('cascade'))
      .addColumn('status_id', 'text', (c) => c.notNull())
      .addColumn('own', 'integer', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .addColumn('accepted_at', 'bigint')
      .addColumn('deleted_at', 'bigint')
      .addColumn('recipients', 'integer')
      .addColumn('data', types.bytes, (c) => c.notNull())
      .addColumn('content', types.bytes)
      .addColumn('audience', types.bytes)
      .addPrimaryKeyConstraint('statuses_pk', ['device_id', 'status_id'])
      .execute();
    await db.schema.createIndex('statuses_age').on('statuses').column('expires_at').execute();
    await db.schema.createIndex('statuses_newest').on('statuses').columns(['device_id', 'at']).execute();
    const of = ['device_id', 'status_id'] as const;
    await db.schema
      .createTable('status_viewers')
      .addColumn('device_id', 'bigint', (c) => c.notNull())
      .addColumn('status_id', 'text', (c) => c.notNull())
      .addColumn('person_hash', 'text', (c) => c.notNull())
      .addColumn('delivered_at', 'bigint')
      .addColumn('viewed_at', 'bigint')
      .addColumn('data', types.bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint('status_viewers_pk', [...of, 'person_hash'])
      .addForeignKeyConstraint('status_viewers_of', [...of], 'statuses', [...of], (c) => c.onDelete('cascade'))
      .execute();
  },
});
