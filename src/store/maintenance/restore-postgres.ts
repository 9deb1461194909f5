/** For whoever has restored a PostgreSQL by its own means: what the nodes cannot notice that have no file of before. */
import { Kysely } from 'kysely';
import { raise } from '../cluster/generation.ts';
import { assertSecret } from '../sealing/data-markers.ts';
import { migrate } from '../migrations/run.ts';
import { reachable, startLock } from '../postgres/open.ts';
import { PostgresDatabase, postgresTypes } from '../postgres/postgres.ts';
import { assertAlone } from './rotate-postgres.ts';
import type { Schema } from '../schema.ts';
import { makeSeal } from '../sealing/seal.ts';

/** All devices begin anew; how many. Throws an Error in plain words: a node is running, or the secret is not the one of the data. */
export const postgresWasRestored = async (databaseUrl: string, secret: string | null): Promise<number> => {
  if (secret === null) throw new Error('Set HANDSET_SECRET to the secret that the database was sealed with');
  const database = new PostgresDatabase(databaseUrl, 2, () => undefined);
  try {
    const sql = new Kysely<Schema>({ dialect: database.dialect() });
    const seal = makeSeal(secret);
    const alone = { published: () => undefined };
    const context = { sql, database, seal, now: () => Date.now(), ...alone };
    await reachable(database);
    return await database.alone(startLock, async () => {
      await migrate(sql, postgresTypes);
      await assertSecret(context, 'the database');
      await assertAlone(context);
      return (await database.write(() => raise(context, null, true))).restored ?? 0;
    });
  } finally {
    await database.close();
  }
};
