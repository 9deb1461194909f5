/** The tables of webhooks and their deliveries, part of the first migration. */
import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';
import { ofDevice } from './0001-messages.ts';

type Db = Kysely<unknown>;

const ofWebhook = <C extends string>(table: CreateTableBuilder<string, C>) =>
  ofDevice(table).addColumn('webhook_id', 'bigint', (c) => c.notNull());

export const createWebhooks = async (db: Db, types: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable('webhooks')
    .addColumn('id', types.id, types.identity)
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('device_id', 'bigint', (c) => c.references('devices.id').onDelete('cascade'))
    .addColumn('is_primary', 'integer', (c) => c.notNull())
    .addColumn('data', types.bytes)
    .addColumn('events', 'text', (c) => c.notNull())
    .addColumn('enabled', 'integer', (c) => c.notNull())
    .addColumn('ordered', 'integer', (c) => c.notNull())
    .addColumn('settle_seconds', 'integer')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('previous_secret_until', 'bigint')
    .addColumn('disabled_at', 'bigint')
    .addColumn('failing_since', 'bigint')
    .addColumn('last_success_at', 'bigint')
    .addColumn('deleted', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('webhooks');
  await index('webhooks_user').columns(['user_id', 'device_id', 'id']).execute();
  await index('webhooks_device').columns(['device_id', 'is_primary', 'id']).execute();
  await index('webhooks_primary').column('device_id').unique().where(sql.ref('is_primary'), '=', sql.lit(1)).execute();
  await ofDevice(db.schema.createTable('chat_turns'))
    .addColumn('chat_hash', 'text', (c) => c.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('stored_at', 'bigint', (c) => c.notNull())
    .addColumn('data', types.bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint('chat_turns_pk', ['device_id', 'chat_hash'])
    .execute();
  const ofTurns = (name: string) => db.schema.createIndex(name).on('chat_turns');
  await ofTurns('chat_turns_due').column('due_at').where(sql.ref('due_at'), 'is not', null).execute();
  await ofTurns('chat_turns_age').column('stored_at').execute();
};

const createQueues = async (db: Db): Promise<void> => {
  await ofWebhook(db.schema.createTable('webhook_queues'))
    .addColumn('due_at', 'bigint')
    .addPrimaryKeyConstraint('webhook_queues_pk', ['device_id', 'webhook_id'])
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('webhook_queues');
  await index('webhook_queues_webhook').columns(['webhook_id', 'device_id']).execute();
  await index('webhook_queues_due')
    .columns(['due_at', 'device_id', 'webhook_id'])
    .where(sql.ref('due_at'), 'is not', null)
    .execute();
  await ofWebhook(db.schema.createTable('delivery_queues'))
    .addColumn('order_hash', 'text', (c) => c.notNull())
    .addColumn('head_seq', 'bigint', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('leased', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('delivery_queues_pk', ['device_id', 'webhook_id', 'order_hash'])
    .execute();
  const due = db.schema.createIndex('delivery_queues_due').on('delivery_queues');
  await due.columns(['device_id', 'webhook_id', 'due_at', 'head_seq']).execute();
};

export const createDeliveries = async (db: Db, types: ColumnTypes): Promise<void> => {
  await createQueues(db);
  await ofWebhook(db.schema.createTable('deliveries'))
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
    .addColumn('failing_since', 'bigint')
    .addColumn('late', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('brought_forward', 'integer', (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('deliveries_pk', ['device_id', 'seq', 'webhook_id'])
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('deliveries');
  await index('deliveries_newest').columns(['webhook_id', 'seq', 'device_id']).execute();
  await index('deliveries_undelivered')
    .columns(['webhook_id', 'seq', 'device_id'])
    .where(sql.ref('state'), '<>', sql.lit('delivered'))
    .execute();
  await index('deliveries_pending')
    .columns(['device_id', 'webhook_id', 'order_hash', 'seq'])
    .where(sql.ref('next_attempt_at'), 'is not', null)
    .execute();
  await ofWebhook(db.schema.createTable('attempts'))
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('status', 'integer')
    .addColumn('duration_ms', 'bigint')
    .addColumn('detail', types.bytes)
    .addPrimaryKeyConstraint('attempts_pk', ['device_id', 'webhook_id', 'seq', 'at'])
    .execute();
};
