/**
 * Additional webhooks, with queues of their own: the version before neither reads nor posts what stands in them. Their deliveries name
 * the event's row; nothing of the event is stored again.
 */
import { type CreateTableBuilder, type Kysely, type Migration, sql } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

/** The version before deletes devices and does not know these tables. */
const ofDevice = <C extends string>(
  table: CreateTableBuilder<string, C>,
): CreateTableBuilder<string, C | 'device_id' | 'webhook_id'> =>
  table
    .addColumn('device_id', 'bigint', (c) => c.notNull().references('devices.id').onDelete('cascade'))
    .addColumn('webhook_id', 'bigint', (c) => c.notNull());

const createWebhooks = async (db: Kysely<unknown>, types: ColumnTypes): Promise<void> => {
  await db.schema
    .alterTable('users')
    .addColumn('webhooks_revision', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('webhooks')
    .addColumn('id', types.id, types.identity)
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('device_id', 'bigint', (c) => c.references('devices.id').onDelete('cascade'))
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
  await db.schema.createIndex('webhooks_user').on('webhooks').columns(['user_id', 'device_id', 'id']).execute();
  await db.schema.createIndex('webhooks_device').on('webhooks').column('device_id').execute();
  await ofDevice(db.schema.createTable('webhook_queues'))
    .addColumn('queue_at', 'bigint')
    .addPrimaryKeyConstraint('webhook_queues_pk', ['device_id', 'webhook_id'])
    .execute();
  await db.schema.createIndex('webhook_queues_webhook').on('webhook_queues').column('webhook_id').execute();
  await db.schema
    .createIndex('webhook_queues_due')
    .on('webhook_queues')
    .columns(['queue_at', 'device_id', 'webhook_id'])
    .where(sql.ref('queue_at'), 'is not', null)
    .execute();
};

const createDeliveries = async (db: Kysely<unknown>, types: ColumnTypes): Promise<void> => {
  await ofDevice(db.schema.createTable('webhook_deliveries'))
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
    // All of an event side by side.
    .addPrimaryKeyConstraint('webhook_deliveries_pk', ['device_id', 'seq', 'webhook_id'])
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('webhook_deliveries');
  await index('webhook_deliveries_newest').columns(['webhook_id', 'seq', 'device_id']).execute();
  await index('webhook_deliveries_undelivered')
    .columns(['webhook_id', 'seq', 'device_id'])
    .where(sql.ref('state'), '<>', sql.lit('delivered'))
    .execute();
  await index('webhook_deliveries_pending')
    .columns(['device_id', 'webhook_id', 'order_hash', 'seq'])
    .where(sql.ref('next_attempt_at'), 'is not', null)
    .execute();
  await ofDevice(db.schema.createTable('webhook_attempts'))
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('status', 'integer')
    .addColumn('duration_ms', 'bigint')
    .addColumn('detail', types.bytes)
    .addPrimaryKeyConstraint('webhook_attempts_pk', ['device_id', 'webhook_id', 'seq', 'at'])
    .execute();
  await ofDevice(db.schema.createTable('webhook_lanes'))
    .addColumn('order_hash', 'text', (c) => c.notNull())
    .addColumn('head_seq', 'bigint', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('leased', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('webhook_lanes_pk', ['device_id', 'webhook_id', 'order_hash'])
    .execute();
  await db.schema
    .createIndex('webhook_lanes_due')
    .on('webhook_lanes')
    .columns(['device_id', 'webhook_id', 'due_at', 'head_seq'])
    .execute();
};

export const webhooks = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await createWebhooks(db, types);
    await createDeliveries(db, types);
  },
});
