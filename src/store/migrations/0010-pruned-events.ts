/** The newest event of each device that retention has removed: what is missing above it was lost. */
import { type Kysely, type Migration, sql } from 'kysely';

export const prunedEvents: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('devices')
      .addColumn('pruned_seq', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
    // Earlier versions did not write down what they removed.
    await sql`update devices set pruned_seq = event_seq`.execute(db);
  },
};
