/** Limits of accounts as they were last told, and the chats that a device has begun on a day; without rows the count starts at zero. */
import type { Kysely, Migration } from 'kysely';

export const newChats: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('devices').addColumn('limits', 'text').execute();
    await db.schema
      .createTable('new_chats')
      // The version before deletes devices and does not know this table.
      .addColumn('device_id', 'bigint', (c) => c.notNull().references('devices.id').onDelete('cascade'))
      .addColumn('day', 'bigint', (c) => c.notNull())
      .addColumn('jid_hash', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('new_chats_pk', ['device_id', 'day', 'jid_hash'])
      .execute();
  },
};
