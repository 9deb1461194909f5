/** Turns: messages of a chat since the last answer, for webhooks that want `chat.settled`. */
import { type Kysely, type Migration, sql } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const turns = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('turns')
      // The version before deletes devices and does not know this table.
      .addColumn('device_id', 'bigint', (c) => c.notNull().references('devices.id').onDelete('cascade'))
      .addColumn('chat_hash', 'text', (c) => c.notNull())
      .addColumn('settle_seconds', 'integer', (c) => c.notNull())
      .addColumn('due_at', 'bigint')
      .addColumn('latest_at', 'bigint')
      .addColumn('stored_at', 'bigint', (c) => c.notNull())
      .addColumn('data', types.bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint('turns_pk', ['device_id', 'chat_hash', 'settle_seconds'])
      .execute();
    await db.schema
      .createIndex('turns_due')
      .on('turns')
      .columns(['due_at'])
      .where(sql.ref('due_at'), 'is not', null)
      .execute();
    await db.schema.createIndex('turns_age').on('turns').column('stored_at').execute();
  },
});
