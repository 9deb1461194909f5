/** Nodes, who owns which session, and requests a minute: used where several processes share the database. */
import { type Kysely, type Migration, sql } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const cluster = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('nodes')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('draining', 'integer', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
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
  },
});
