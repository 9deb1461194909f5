/** Settings of devices that hold numbers or texts: sealed, as JSON. The rows that have them in `settings` are sealed at each start (`seal-settings.ts`). */
import type { Kysely, Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

export const sealedSettings = ({ bytes }: ColumnTypes): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('devices').addColumn('sealed_settings', bytes).execute();
  },
});
