/** The first schema. */
import { type CreateTableBuilder, type Kysely, type Migration, sql } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

type Db = Kysely<unknown>;

const ofDevice = <C extends string>(
  table: CreateTableBuilder<string, C>,
): CreateTableBuilder<string, C | 'device_id'> =>
  table.addColumn('device_id', 'bigint', (c) => c.notNull().references('devices.id'));

const createUsers = async (db: Db, types: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable('meta')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', types.bytes, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('users')
    .addColumn('id', types.id, types.identity)
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('device_limit', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('api_keys')
    .addColumn('id', types.id, types.identity)
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('hint', 'text', (c) => c.notNull())
    .addColumn('hash', types.bytes, (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema.createIndex('api_keys_user').on('api_keys').column('user_id').execute();
};

const createDevices = async (db: Db, types: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable('devices')
    .addColumn('id', types.id, types.identity)
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('active', 'integer', (c) => c.notNull())
    .addColumn('webhook_url', types.bytes)
    .addColumn('webhook_events', 'text', (c) => c.notNull())
    .addColumn('webhook_secret', types.bytes)
    .addColumn('previous_secret', types.bytes)
    .addColumn('previous_secret_until', 'bigint')
    .addColumn('disabled_at', 'bigint')
    .addColumn('failing_since', 'bigint')
    .addColumn('last_success_at', 'bigint')
    .addColumn('queue_at', 'bigint')
    .addColumn('messages_sent', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('event_seq', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('account', types.bytes)
    .addColumn('announced_open', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('last_seen_at', 'bigint')
    .addColumn('deleted', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('devices_user').on('devices').columns(['user_id', 'id']).execute();
  await db.schema
    .createIndex('devices_queue')
    .on('devices')
    .columns(['queue_at', 'id'])
    .where(sql.ref('queue_at'), 'is not', null)
    .execute();
};

const createSessions = async (db: Db, types: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable('credentials')
    .addColumn('device_id', 'bigint', (c) => c.primaryKey().references('devices.id'))
    .addColumn('value', types.bytes, (c) => c.notNull())
    .execute();
  await ofDevice(db.schema.createTable('signal_keys'))
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('id_hash', 'text', (c) => c.notNull())
    .addColumn('value', types.bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint('signal_keys_pk', ['device_id', 'type', 'id_hash'])
    .execute();
  await ofDevice(db.schema.createTable('inbox'))
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('plaintext', types.bytes, (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('inbox_pk', ['device_id', 'key'])
    .execute();
  await db.schema.createIndex('inbox_age').on('inbox').column('created_at').execute();
  await ofDevice(db.schema.createTable('idempotency'))
    .addColumn('key_hash', 'text', (c) => c.notNull())
    .addColumn('fingerprint', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('done', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_pk', ['device_id', 'key_hash'])
    .execute();
  await db.schema.createIndex('idempotency_age').on('idempotency').column('created_at').execute();
};

const createMessages = async (db: Db, types: ColumnTypes): Promise<void> => {
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
};

const createEvents = async (db: Db, types: ColumnTypes): Promise<void> => {
  await ofDevice(db.schema.createTable('events'))
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('dedupe_hash', 'text')
    .addColumn('data', types.bytes, (c) => c.notNull())
    .addColumn('stored_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('events_pk', ['device_id', 'seq'])
    .execute();
  await db.schema
    .createIndex('events_dedupe')
    .on('events')
    .columns(['device_id', 'dedupe_hash'])
    .unique()
    .where(sql.ref('dedupe_hash'), 'is not', null)
    .execute();
  await db.schema.createIndex('events_age').on('events').columns(['stored_at', 'device_id', 'seq']).execute();
};

const createOutbox = async (db: Db, types: ColumnTypes): Promise<void> => {
  await ofDevice(db.schema.createTable('deliveries'))
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('order_hash', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('delivered_at', 'bigint')
    .addColumn('last_attempt_at', 'bigint')
    .addColumn('last_status', 'integer')
    .addColumn('last_duration_ms', 'bigint')
    .addColumn('last_detail', types.bytes)
    .addPrimaryKeyConstraint('deliveries_pk', ['device_id', 'seq'])
    .execute();
  await db.schema.createIndex('deliveries_state').on('deliveries').columns(['device_id', 'state', 'seq']).execute();
  await db.schema
    .createIndex('deliveries_pending')
    .on('deliveries')
    .columns(['device_id', 'order_hash', 'seq'])
    .where(sql.ref('next_attempt_at'), 'is not', null)
    .execute();
  await ofDevice(db.schema.createTable('lanes'))
    .addColumn('order_hash', 'text', (c) => c.notNull())
    .addColumn('head_seq', 'bigint', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('leased', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('lanes_pk', ['device_id', 'order_hash'])
    .execute();
  await db.schema.createIndex('lanes_due').on('lanes').columns(['device_id', 'due_at', 'head_seq']).execute();
};

export const initial = (types: ColumnTypes): Migration => ({
  up: async (db: Db) => {
    await createUsers(db, types);
    await createDevices(db, types);
    await createSessions(db, types);
    await createMessages(db, types);
    await createEvents(db, types);
    await createOutbox(db, types);
  },
});
