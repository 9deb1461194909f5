/** API keys limited to some devices and actions. */
import type { Kysely, Migration } from 'kysely';

export const addKeyLimits = (): Migration => ({
  up: async (db: Kysely<unknown>) => {
    for (const column of ['devices', 'actions'])
      await db.schema.alterTable('api_keys').addColumn(column, 'text').execute();
  },
});
