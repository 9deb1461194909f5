/**
 * Counts up while an installation runs, so that a database that was put back to an earlier state is noticed (`generation.ts`). Nodes
 * tell how long their leases last, so that others can measure them by their own clocks (`node-watch.ts`).
 */
import type { Kysely, Migration } from 'kysely';

export const generation: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('generation')
      .addColumn('id', 'integer', (c) => c.primaryKey())
      .addColumn('lineage', 'text', (c) => c.notNull())
      .addColumn('value', 'bigint', (c) => c.notNull())
      .addColumn('copied', 'integer', (c) => c.notNull())
      .execute();
    // Null: of a node of the version before, which does not know of it.
    await db.schema.alterTable('nodes').addColumn('lease_ms', 'bigint').execute();
  },
};
