/** Which migrations a start of this version would run, and what that means for the version before; nothing is written. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { databaseOf } from '../open-sqlite.ts';
import { reachable } from '../open-postgres.ts';
import { PostgresDatabase, postgresTypes } from '../postgres/postgres.ts';
import { expansions, expansionTable, required, requiredTable } from '../migrations/run.ts';

export interface MigrationCheck {
  /** The database has no data yet: there is no version before. */
  readonly fresh: boolean;
  /** After these the previous version no longer starts on the data. */
  readonly required: readonly string[];
  /** These only add: the version before runs beside this one, and starts again. */
  readonly expansions: readonly string[];
  /** Done by a later version, and required: this version does not start. */
  readonly unknown: readonly string[];
}

/** The names in a table of migrations; null where there is no such table. */
type Executed = (table: string) => Promise<readonly string[] | null>;

const checkBy = async (executed: Executed): Promise<MigrationCheck> => {
  const [first, second] = [await executed(requiredTable), await executed(expansionTable)];
  const known = { required: Object.keys(required(postgresTypes)), expansions: Object.keys(expansions(postgresTypes)) };
  return {
    fresh: first === null,
    required: known.required.filter((name) => first?.includes(name) !== true),
    expansions: known.expansions.filter((name) => second?.includes(name) !== true),
    unknown: (first ?? []).filter((name) => !known.required.includes(name)),
  };
};

export const checkFolder = async (dataDir: string): Promise<MigrationCheck> => {
  const path = databaseOf(dataDir);
  if (!existsSync(path)) return checkBy(async () => null);
  const database = new DatabaseSync(path, { timeout: 2_000 });
  try {
    database.exec('pragma query_only = on');
    return await checkBy(async (table) => {
      const found = database.prepare("select name from sqlite_master where type = 'table' and name = ?").get(table);
      if (found === undefined) return null;
      return database
        .prepare(`select name from ${table}`)
        .all()
        .map((row) => String(row['name']));
    });
  } finally {
    database.close();
  }
};

/** Throws an Error in plain words when it cannot be reached. */
export const checkPostgres = async (databaseUrl: string): Promise<MigrationCheck> => {
  const database = new PostgresDatabase(databaseUrl, 1, () => undefined);
  try {
    await reachable(database);
    const ask = <T>(sql: string): Promise<readonly T[]> =>
      database.read(function* () {
        const rows: T[] = yield { sql, values: [] };
        return rows;
      });
    return await checkBy(async (table) => {
      const [found] = await ask<{ there: boolean }>(`select to_regclass('${table}') is not null as there`);
      if (found?.there !== true) return null;
      return (await ask<{ name: string }>(`select name from ${table}`)).map(({ name }) => name);
    });
  } finally {
    await database.close();
  }
};
