/** Turns that name their messages, one for each chat; the version before goes on with its own table. */
import { type Kysely, type Migration, sql } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const chatTurns = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('chat_turns')
      // The version before deletes devices and does not know this table.
      .addColumn('device_id', 'bigint', (c) => c.notNull().references('devices.id').onDelete('cascade'))
      .addColumn('chat_hash', 'text', (c) => c.notNull())
      .addColumn('due_at', 'bigint')
      .addColumn('stored_at', 'bigint', (c) => c.notNull())
      .addColumn('data', types.bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint('chat_turns_pk', ['device_id', 'chat_hash'])
      .execute();
    await db.schema
      .createIndex('chat_turns_due')
      .on('chat_turns')
      .columns(['due_at'])
      .where(sql.ref('due_at'), 'is not', null)
      .execute();
    await db.schema.createIndex('chat_turns_age').on('chat_turns').column('stored_at').execute();
  },
});
