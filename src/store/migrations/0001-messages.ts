/** The tables of messages, chats and events, part of the first migration. */
import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

type Db = Kysely<unknown>;

export const ofDevice = <C extends string>(
  table: CreateTableBuilder<string, C>,
): CreateTableBuilder<string, C | 'device_id'> =>
  table.addColumn('device_id', 'bigint', (c) => c.notNull().references('devices.id').onDelete('cascade'));

export const createMessages = async (db: Db, types: ColumnTypes): Promise<void> => {
  await ofDevice(db.schema.createTable('messages').addColumn('n', types.id, types.identity))
    .addColumn('chat_hash', 'text', (c) => c.notNull())
    .addColumn('lid_hash', 'text')
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('timestamp', 'bigint', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('accepted_at', 'bigint')
    .addColumn('delivered_at', 'bigint')
    .addColumn('read_at', 'bigint')
    .addColumn('failed_at', 'bigint')
    .addColumn('deleted_at', 'bigint')
    .addColumn('data', types.bytes, (c) => c.notNull())
    .addColumn('content', types.bytes)
    .addColumn('stored_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('messages_key', ['device_id', 'id', 'chat_hash'])
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('messages');
  await index('messages_newest').columns(['device_id', 'timestamp', 'n']).execute();
  await index('messages_chat').columns(['device_id', 'chat_hash', 'timestamp', 'n']).execute();
  await index('messages_lid')
    .columns(['device_id', 'lid_hash', 'timestamp', 'n'])
    .where(sql.ref('lid_hash'), 'is not', null)
    .execute();
  await index('messages_age').column('stored_at').execute();
  await ofDevice(db.schema.createTable('annotations'))
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
};

export const createKeptMedia = async (db: Db, types: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable('kept_media')
    // No references to `messages` and `devices`: the row stays until its file is removed.
    .addColumn('message_n', 'bigint', (c) => c.primaryKey())
    .addColumn('device_id', 'bigint', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('historic', 'integer', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('file', 'text', (c) => c.notNull())
    .addColumn('bytes', 'bigint')
    .addColumn('pieces', types.bytes)
    .addColumn('stored_at', 'bigint', (c) => c.notNull())
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('kept_media');
  await index('kept_media_by_state').columns(['state', 'device_id', 'historic', 'message_n', 'due_at']).execute();
  await index('kept_media_by_age').column('stored_at').execute();
};

export const createChats = async (db: Db, types: ColumnTypes): Promise<void> => {
  const named = (table: string) =>
    ofDevice(db.schema.createTable(table))
      .addColumn('jid_hash', 'text', (c) => c.notNull())
      .addColumn('lid_hash', 'text')
      .addColumn('data', types.bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint(`${table}_pk`, ['device_id', 'jid_hash']);
  await named('chats')
    .addColumn('at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('unread', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('archived', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('pinned_at', 'bigint')
    .addColumn('muted_until', 'bigint')
    .addColumn('name', types.bytes)
    .execute();
  const newest = db.schema.createIndex('chats_newest').on('chats');
  await newest.columns(['device_id', 'at', 'jid_hash', 'unread', 'archived']).execute();
  await named('contacts')
    .addColumn('blocked', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('saved', types.bytes)
    .addColumn('push_name', types.bytes)
    .addColumn('business_name', types.bytes)
    .addColumn('about', types.bytes)
    .addColumn('picture', types.bytes)
    .execute();
  for (const table of ['chats', 'contacts'])
    await db.schema.createIndex(`${table}_lid`).on(table).columns(['device_id', 'lid_hash']).execute();
  await ofDevice(db.schema.createTable('groups'))
    .addColumn('jid_hash', 'text', (c) => c.notNull())
    .addColumn('listed', 'integer', (c) => c.notNull())
    .addColumn('data', types.bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint('groups_pk', ['device_id', 'jid_hash'])
    .execute();
};

export const createEvents = async (db: Db, types: ColumnTypes): Promise<void> => {
  await ofDevice(db.schema.createTable('events'))
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('dedupe_hash', 'text')
    .addColumn('data', types.bytes, (c) => c.notNull())
    .addColumn('stored_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('events_pk', ['device_id', 'seq'])
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('events');
  await index('events_dedupe')
    .columns(['device_id', 'dedupe_hash'])
    .unique()
    .where(sql.ref('dedupe_hash'), 'is not', null)
    .execute();
  await index('events_age').columns(['stored_at', 'device_id', 'seq']).execute();
};
