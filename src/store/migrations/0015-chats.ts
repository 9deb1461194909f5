/** Chats and contacts. Messages that are stored already, or by the version before, get their chats later (`store/chats/catch-up.ts`). */
import type { Kysely, Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

const named = (db: Kysely<unknown>, table: string, types: ColumnTypes) =>
  db.schema
    .createTable(table)
    // The version before deletes devices and does not know these tables.
    .addColumn('device_id', 'bigint', (c) => c.notNull().references('devices.id').onDelete('cascade'))
    .addColumn('jid_hash', 'text', (c) => c.notNull())
    .addColumn('lid_hash', 'text')
    .addColumn('data', types.bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint(`${table}_pk`, ['device_id', 'jid_hash']);

const byLid = (db: Kysely<unknown>, table: string) =>
  db.schema.createIndex(`${table}_lid`).on(table).columns(['device_id', 'lid_hash']).execute();

export const chats = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await named(db, 'chats', types)
      .addColumn('at', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('unread', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('archived', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('pinned_at', 'bigint')
      .addColumn('muted_until', 'bigint')
      // Not used any more: the timer of a group is the group's own.
      .addColumn('timer', 'integer')
      .addColumn('name', types.bytes)
      .execute();
    await byLid(db, 'chats');
    await db.schema
      .createIndex('chats_newest')
      .on('chats')
      .columns(['device_id', 'at', 'jid_hash', 'unread', 'archived'])
      .execute();
    await named(db, 'contacts', types)
      .addColumn('blocked', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('saved', types.bytes)
      .addColumn('push_name', types.bytes)
      .addColumn('business_name', types.bytes)
      .addColumn('about', types.bytes)
      .addColumn('picture', types.bytes)
      .execute();
    await byLid(db, 'contacts');
    await db.schema
      .createTable('progress')
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('n', 'bigint', (c) => c.notNull())
      .execute();
  },
});
