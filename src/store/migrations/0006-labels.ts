/** Labels, and the chats and messages that have them. */
import type { Kysely, Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';
import { ofDevice } from './0001-messages.ts';

export const createLabels = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await ofDevice(db.schema.createTable('labels'))
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('data', types.bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint('labels_pk', ['device_id', 'id'])
      .execute();
    await ofDevice(db.schema.createTable('label_marks'))
      .addColumn('chat_hash', 'text', (c) => c.notNull())
      .addColumn('message_id', 'text', (c) => c.notNull())
      .addColumn('label_id', 'text', (c) => c.notNull())
      .addColumn('labeled', 'integer', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('label_marks_pk', ['device_id', 'chat_hash', 'message_id', 'label_id'])
      .execute();
    const index = db.schema.createIndex('label_marks_label').on('label_marks');
    await index.columns(['device_id', 'label_id', 'message_id', 'chat_hash']).execute();
  },
});
