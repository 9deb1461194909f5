/** The audit log: rows are only ever added, and the database itself refuses anything else. */
import { type Kysely, type Migration, sql } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const audit = (types: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
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
  },
});
