/**
 * Numbered migrations, each run once and atomically. Expand, then contract (docs/operations.md, "Upgrades of the database"): expansions only add,
 * in a table that earlier versions ignore, so those keep running; required ones remove something, in the table every version checks, so that
 * an older one refuses to start.
 */
import { type Kysely, type Migration, Migrator } from 'kysely';
import { messageOf } from '../../errors.ts';
import type { ColumnTypes, Schema } from '../base/schema.ts';
import { createTables } from './0001-tables.ts';
import { expansionsOf } from './expansions.ts';

type Migrations = Readonly<Record<string, Migration>>;

interface MigrationSet {
  /** Run first: a contraction must not depend on an expansion of the same start. */
  readonly required: Migrations;
  /** They only add: the previous version inserts, reads and deletes as before. */
  readonly expansions: Migrations;
}

export const migrationsOf = (types: ColumnTypes): MigrationSet => ({
  required: { '0001-tables': createTables(types) },
  expansions: expansionsOf(types),
});

export const requiredTable = 'kysely_migration';
export const expansionTable = 'kysely_expansion';

export interface Executed {
  readonly required: readonly string[];
  readonly expansions: readonly string[];
}

/** The first migration of all versions before 0.3.0. */
const developmentMigration = '0001-initial';

export class DevelopmentData extends Error {
  constructor(newest: string) {
    super(
      `The data was made by a development version before 0.3.0 (its newest migration is ${newest}), and is not taken over: ` +
        'nothing was changed. Start with an empty HANDSET_DATA_DIR or HANDSET_DATABASE_URL, and link the devices again ' +
        '(docs/operations.md, "Data of development versions")',
    );
  }
}

export const assertReleased = ({ required, expansions }: Executed): void => {
  if (!required.includes(developmentMigration)) return;
  throw new DevelopmentData([...required, ...expansions].toSorted().at(-1)!);
};

const run = async (migrator: Migrator): Promise<void> => {
  const known = await migrator.getMigrations().catch((cause: unknown) => {
    throw new Error(`The data cannot be read: ${messageOf(cause)}`, { cause });
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  const what = failed === undefined ? 'The data was written by a newer version' : `Migration ${failed} failed`;
  throw new Error(`${what} (this version knows ${known.length} migrations): ${messageOf(error)}`, { cause: error });
};

const namesIn = async (db: Kysely<Schema>, table: typeof requiredTable | typeof expansionTable): Promise<string[]> => {
  const rows = await db.withTables<Record<typeof table, { name: string }>>().selectFrom(table).select('name').execute();
  return rows.map(({ name }) => name);
};

const isPresent = async (db: Kysely<Schema>, known: MigrationSet): Promise<boolean> => {
  try {
    const names = await namesIn(db, requiredTable);
    const added = await namesIn(db, expansionTable);
    const wanted = Object.keys(known.required);
    return (
      names.length === wanted.length &&
      wanted.every((name) => names.includes(name)) &&
      Object.keys(known.expansions).every((name) => added.includes(name))
    );
  } catch {
    return false;
  }
};

const executedExpansions = async (db: Kysely<Schema>): Promise<readonly string[]> => {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === expansionTable)) return [];
  return namesIn(db, expansionTable);
};

const ofLaterVersions = (executed: readonly string[], known: Migrations): Migrations =>
  Object.fromEntries(
    executed.filter((name) => known[name] === undefined).map((name) => [name, { up: async () => {} }]),
  );

export const migrate = async (
  db: Kysely<Schema>,
  types: ColumnTypes,
  known: MigrationSet = migrationsOf(types),
): Promise<void> => {
  if (await isPresent(db, known)) return;
  await run(new Migrator({ db, provider: { getMigrations: async () => ({ ...known.required }) } }));
  const later = ofLaterVersions(await executedExpansions(db), known.expansions);
  await run(
    new Migrator({
      db,
      provider: { getMigrations: async () => ({ ...known.expansions, ...later }) },
      migrationTableName: expansionTable,
      migrationLockTableName: `${expansionTable}_lock`,
      // An expansion may be added with a lower number.
      allowUnorderedMigrations: true,
    }),
  );
};
