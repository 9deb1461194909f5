/** Restoration of a PostgreSQL by its own means: the operator reports what nodes without an earlier file cannot notice. */
import { raise } from '../cluster/generation.ts';
import { assertSecret } from '../sealing/data-markers.ts';
import { migrate } from '../migrations/run.ts';
import { startLock, withPostgres } from '../open-postgres.ts';
import { postgresTypes } from '../postgres/postgres.ts';
import { assertAlone } from './rotate-postgres.ts';

/**
 * All devices begin new Signal sessions; returns how many. Throws an Error in plain words: a node is running, or the secret is not the
 * one of the data.
 */
export const postgresWasRestored = async (databaseUrl: string, secret: string | null): Promise<number> => {
  if (secret === null) throw new Error('Set HANDSET_SECRET to the secret that the database was sealed with');
  return withPostgres(databaseUrl, secret, (context) =>
    context.database.alone(startLock, async () => {
      await migrate(context.sql, postgresTypes);
      await assertSecret(context, 'the database');
      await assertAlone(context);
      return (await context.database.write(() => raise(context, null, true))).restored ?? 0;
    }),
  );
};
