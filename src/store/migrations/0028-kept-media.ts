/** Media that is kept, one row for each message whose media is, or is to be fetched. */
import type { Kysely, Migration } from 'kysely';

export const keptMedia: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('kept_media')
      // Keys of `messages` and of `devices`, without reference, since the row stays until its file is removed.
      .addColumn('message_n', 'bigint', (c) => c.primaryKey())
      .addColumn('device_id', 'bigint', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('historic', 'integer', (c) => c.notNull())
      .addColumn('due_at', 'bigint', (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('file', 'text', (c) => c.notNull())
      .addColumn('bytes', 'bigint')
      .addColumn('stored_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('kept_media_by_state')
      .on('kept_media')
      .columns(['state', 'device_id', 'historic', 'message_n', 'due_at'])
      .execute();
    await db.schema.createIndex('kept_media_by_age').on('kept_media').column('stored_at').execute();
  },
};
