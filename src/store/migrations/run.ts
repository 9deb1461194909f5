/**
 * Brings a database to the present schema: numbered migrations, each run once, each all or nothing.
 *
 * Expand, then contract (docs/operations.md, "Upgrades of the database"): what only adds is an expansion, noted in a table of its own that
 * versions before do not look at, so that they run beside this one and start again. What takes something away is required: it stands in
 * the table that every version compares with what it knows, and an older one refuses to start.
 */
import { type Kysely, type Migration, Migrator } from 'kysely';
import { messageOf } from '../../errors.ts';
import type { ColumnTypes, Schema } from '../base/schema.ts';
import { initial } from './0001-initial.ts';
import { audit } from './0002-audit.ts';
import { cluster } from './0003-cluster.ts';
import { pairing } from './0004-pairing.ts';
import { appState } from './0005-app-state.ts';
import { attempts } from './0009-attempts.ts';
import { prunedEvents } from './0010-pruned-events.ts';
import { generation } from './0011-generation.ts';
import { settings } from './0012-settings.ts';
import { annotations } from './0014-annotations.ts';
import { chats } from './0015-chats.ts';
import { groups } from './0021-groups.ts';
import { keptMedia } from './0028-kept-media.ts';
import { keptPieces } from './0030-kept-pieces.ts';
import { turns } from './0023-turns.ts';
import { webhooks } from './0022-webhooks.ts';
import { lookUps } from './0018-look-ups.ts';
import { newChats } from './0026-new-chats.ts';
import { suppressions } from './0027-suppressions.ts';
import { unloggedRates } from './0031-unlogged-rates.ts';
import { answers } from './0032-answers.ts';
import { sealedSettings } from './0034-sealed-settings.ts';
import { chatTurns } from './0033-chat-turns.ts';

type Migrations = Readonly<Record<string, Migration>>;

/** Run first: a contraction that is added here must not presuppose an expansion of the same start. */
export const required = (types: ColumnTypes): Migrations => ({
  '0001-initial': initial(types),
  '0002-audit': audit(types),
  '0003-cluster': cluster(types),
  '0004-pairing': pairing,
});

/** The version before inserts, reads and deletes as if there were none of these. */
export const expansions = (types: ColumnTypes): Migrations => ({
  '0005-app-state': appState(types),
  '0009-attempts': attempts(types),
  '0010-pruned-events': prunedEvents,
  '0011-generation': generation,
  '0012-settings': settings,
  '0014-annotations': annotations(types),
  '0015-chats': chats(types),
  '0021-groups': groups(types),
  '0018-look-ups': lookUps,
  '0026-new-chats': newChats,
  '0027-suppressions': suppressions(types),
  '0028-kept-media': keptMedia,
  '0030-kept-pieces': keptPieces(types),
  '0022-webhooks': webhooks(types),
  '0023-turns': turns(types),
  '0031-unlogged-rates': unloggedRates(types),
  '0032-answers': answers(types),
  '0033-chat-turns': chatTurns(types),
  '0034-sealed-settings': sealedSettings(types),
});

export const requiredTable = 'kysely_migration';
export const expansionTable = 'kysely_expansion';

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

/** True where this version's migrations have run, and no required one of another. Asked first: the migrator reads the whole schema, several times. */
const isPresent = async (db: Kysely<Schema>, types: ColumnTypes): Promise<boolean> => {
  try {
    const names = await namesIn(db, requiredTable);
    const added = await namesIn(db, expansionTable);
    const wanted = Object.keys(required(types));
    return (
      names.length === wanted.length &&
      wanted.every((name) => names.includes(name)) &&
      Object.keys(expansions(types)).every((name) => added.includes(name))
    );
  } catch {
    // No such table.
    return false;
  }
};

const executedExpansions = async (db: Kysely<Schema>): Promise<readonly string[]> => {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === expansionTable)) return [];
  return namesIn(db, expansionTable);
};

/** Empty stand-ins for the migrations of later versions that have run: this version does not need to know their additions. */
const ofLaterVersions = (executed: readonly string[], known: Migrations): Migrations =>
  Object.fromEntries(
    executed.filter((name) => known[name] === undefined).map((name) => [name, { up: async () => {} }]),
  );

export const migrate = async (db: Kysely<Schema>, types: ColumnTypes): Promise<void> => {
  if (await isPresent(db, types)) return;
  await run(new Migrator({ db, provider: { getMigrations: async () => ({ ...required(types) }) } }));
  const known = expansions(types);
  const later = ofLaterVersions(await executedExpansions(db), known);
  await run(
    new Migrator({
      db,
      provider: { getMigrations: async () => ({ ...known, ...later }) },
      migrationTableName: expansionTable,
      migrationLockTableName: `${expansionTable}_lock`,
      // A number that was kept for one that came later.
      allowUnorderedMigrations: true,
    }),
  );
};
