/** Scheduled messages, and their files in pieces. */
import type { Kysely, Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const createScheduled = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('scheduled')
      .addColumn('device_id', 'bigint', (c) => c.notNull().references('devices.id').onDelete('cascade'))
      .addColumn('message_id', 'text', (c) => c.notNull())
      .addColumn('key_id', 'bigint')
      .addColumn('send_at', 'bigint', (c) => c.notNull())
      .addColumn('send_until', 'bigint', (c) => c.notNull())
      .addColumn('due_at', 'bigint')
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('leaving', 'integer', (c) => c.notNull())
      .addColumn('file_bytes', 'bigint', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('data', types.bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint('scheduled_pk', ['device_id', 'message_id'])
      .execute();
    await db.schema.createIndex('scheduled_due').on('scheduled').columns(['device_id', 'due_at']).execute();
    const of = ['device_id', 'message_id'] as const;
    await db.schema
      .createTable('scheduled_files')
      .addColumn('device_id', 'bigint', (c) => c.notNull())
      .addColumn('message_id', 'text', (c) => c.notNull())
      .addColumn('piece', 'integer', (c) => c.notNull())
      .addColumn('data', types.bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint('scheduled_files_pk', [...of, 'piece'])
      .addForeignKeyConstraint('scheduled_files_of', [...of], 'scheduled', [...of], (c) => c.onDelete('cascade'))
      .execute();
  },
});
