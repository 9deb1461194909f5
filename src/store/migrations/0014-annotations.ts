/** Annotations of messages: reactions, votes, answers to events, and receipts by person in groups. */
import type { Kysely, Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const annotations = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('annotations')
      // The version before deletes devices and does not know this table.
      .addColumn('device_id', 'bigint', (c) => c.notNull().references('devices.id').onDelete('cascade'))
      .addColumn('message_id', 'text', (c) => c.notNull())
      .addColumn('chat_hash', 'text', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('person_hash', 'text', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addColumn('data', types.bytes, (c) => c.notNull())
      .addColumn('stored_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('annotations_pk', ['device_id', 'message_id', 'chat_hash', 'kind', 'person_hash'])
      .execute();
    await db.schema.createIndex('annotations_age').on('annotations').column('stored_at').execute();
  },
});
