/** Which migrations this version would run at its start, and what that means for the previous version. Writes nothing. */
import { databaseOf, executedIn } from '../open-sqlite.ts';
import { executedOn, reachable } from '../open-postgres.ts';
import { PostgresDatabase, postgresTypes } from '../postgres/postgres.ts';
import { type Executed, assertReleased, migrationsOf } from '../migrations/run.ts';

export interface MigrationCheck {
  /** Empty database: there is no previous version. */
  readonly fresh: boolean;
  /** The previous version no longer starts once these have run. */
  readonly required: readonly string[];
  readonly expansions: readonly string[];
  /** Required migrations of a later version: this version does not start. */
  readonly unknown: readonly string[];
}

const checkOf = (executed: Executed | null): MigrationCheck => {
  if (executed !== null) assertReleased(executed);
  const { required, expansions } = migrationsOf(postgresTypes);
  const known = { required: Object.keys(required), expansions: Object.keys(expansions) };
  const done = executed ?? { required: [], expansions: [] };
  return {
    fresh: executed === null,
    required: known.required.filter((name) => !done.required.includes(name)),
    expansions: known.expansions.filter((name) => !done.expansions.includes(name)),
    unknown: done.required.filter((name) => !known.required.includes(name)),
  };
};

/** Throws DevelopmentData. */
export const checkFolder = (dataDir: string): MigrationCheck => checkOf(executedIn(databaseOf(dataDir)));

export const checkPostgres = async (databaseUrl: string): Promise<MigrationCheck> => {
  const database = new PostgresDatabase(databaseUrl, 1, () => undefined);
  try {
    await reachable(database);
    return checkOf(await executedOn(database));
  } finally {
    await database.close();
  }
};
