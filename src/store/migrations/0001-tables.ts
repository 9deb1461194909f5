/** The tables of 0.3.0. Columns are documented where they are typed: `base/schema.ts` and the folders' `tables.ts`. */
import { type Kysely, type Migration, sql } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';
import { createChats, createEvents, createKeptMedia, createMessages, ofDevice } from './0001-messages.ts';
import { createDeliveries, createWebhooks } from './0001-webhooks.ts';

type Db = Kysely<unknown>;

const createUsers = async (db: Db, types: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable('meta')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', types.bytes, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('generation')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('lineage', 'text', (c) => c.notNull())
    .addColumn('value', 'bigint', (c) => c.notNull())
    .addColumn('copied', 'integer', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('users')
    .addColumn('id', types.id, types.identity)
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('device_limit', 'integer', (c) => c.notNull())
    .addColumn('webhooks_revision', 'bigint', (c) => c.notNull().defaultTo(0))
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
  await db.schema
    .createTable('suppressions')
    .addColumn('id', types.id, types.identity)
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('number_hash', 'text')
    .addColumn('lid_hash', 'text')
    .addColumn('data', types.bytes, (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('suppressions').unique();
  await index('suppressions_number').columns(['user_id', 'number_hash']).execute();
  await index('suppressions_lid').columns(['user_id', 'lid_hash']).execute();
};

/** Rows are only ever added: the database itself refuses anything else. */
const createAudit = async (db: Db, types: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable('audit')
    .addColumn('id', types.id, types.identity)
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('user_id', 'bigint')
    .addColumn('key_id', 'bigint')
    .addColumn('device_id', 'bigint')
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('detail', 'text', (c) => c.notNull())
    .execute();
  for (const statement of types.appendOnly('audit')) await sql.raw(statement).execute(db);
};

const createDevices = async (db: Db, types: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable('devices')
    .addColumn('id', types.id, types.identity)
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('active', 'integer', (c) => c.notNull())
    .addColumn('account', types.bytes)
    .addColumn('pairing_at', 'bigint')
    .addColumn('announced_open', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('last_seen_at', 'bigint')
    .addColumn('settings', 'text')
    .addColumn('sealed_settings', types.bytes)
    .addColumn('proxy', types.bytes)
    .addColumn('limits', 'text')
    .addColumn('messages_sent', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('event_seq', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('pruned_seq', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('webhooks_revision', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('deleted', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('devices_user').on('devices').columns(['user_id', 'id']).execute();
  await ofDevice(db.schema.createTable('look_ups'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('day', 'bigint', (c) => c.notNull())
    .addColumn('count', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('look_ups_pk', ['device_id', 'kind'])
    .execute();
  await ofDevice(db.schema.createTable('new_chats'))
    .addColumn('day', 'bigint', (c) => c.notNull())
    .addColumn('jid_hash', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('new_chats_pk', ['device_id', 'day', 'jid_hash'])
    .execute();
};

const createSessions = async (db: Db, types: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable('credentials')
    .addColumn('device_id', 'bigint', (c) => c.primaryKey().references('devices.id').onDelete('cascade'))
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
    .addColumn('answer', types.bytes)
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_pk', ['device_id', 'key_hash'])
    .execute();
  await db.schema.createIndex('idempotency_age').on('idempotency').column('created_at').execute();
  await ofDevice(db.schema.createTable('app_state'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('jid_hash', 'text', (c) => c.notNull())
    .addColumn('data', types.bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint('app_state_pk', ['device_id', 'kind', 'jid_hash'])
    .execute();
};

const createCluster = async (db: Db, types: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable('nodes')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('draining', 'integer', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('lease_ms', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('leases')
    .addColumn('device_id', 'bigint', (c) => c.primaryKey().references('devices.id').onDelete('cascade'))
    .addColumn('node', 'text')
    .addColumn('epoch', 'bigint', (c) => c.notNull())
    .addColumn('wanted', 'integer', (c) => c.notNull())
    .addColumn('memo', types.bytes)
    .execute();
  await db.schema.createIndex('leases_node').on('leases').column('node').execute();
  await db.schema
    .createIndex('leases_free')
    .on('leases')
    .column('device_id')
    .where(sql.ref('node'), 'is', null)
    .where(sql.ref('wanted'), '=', sql.lit(1))
    .execute();
  await db.schema
    .createTable('rates')
    .addColumn('user_id', 'bigint', (c) => c.primaryKey())
    .addColumn('times', types.times, (c) => c.notNull())
    .addColumn('allowed', 'integer', (c) => c.notNull())
    .execute();
  for (const statement of types.unlogged('rates')) await sql.raw(statement).execute(db);
};

export const createTables = (types: ColumnTypes): Migration => ({
  up: async (db: Db) => {
    await createUsers(db, types);
    await createAudit(db, types);
    await createDevices(db, types);
    await createSessions(db, types);
    await createMessages(db, types);
    await createKeptMedia(db, types);
    await createChats(db, types);
    await createEvents(db, types);
    await createWebhooks(db, types);
    await createDeliveries(db, types);
    await createCluster(db, types);
  },
});
