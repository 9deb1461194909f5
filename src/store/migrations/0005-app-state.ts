/** Application state of accounts: contacts' names, archived, pinned and muted chats. */
import type { Kysely, Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const appState = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('app_state')
      // The version before deletes devices and does not know this table.
      .addColumn('device_id', 'bigint', (c) => c.notNull().references('devices.id').onDelete('cascade'))
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('jid_hash', 'text', (c) => c.notNull())
      .addColumn('data', types.bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint('app_state_pk', ['device_id', 'kind', 'jid_hash'])
      .execute();
  },
});
