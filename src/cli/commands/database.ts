/** `handset migrate`, `migrate-to-postgres`, `compact`, `rotate-secret` and `reread`: work on stored data. */
import { type Command, flagOption } from '../command/command.ts';
import { allDevices } from '../command/operator.ts';
import { CommandError, usageError } from '../../mcp/client.ts';
import { type Output, bytesOf } from '../terminal/output.ts';

interface Page {
  readonly unknown: number;
  readonly translated: number;
  readonly nextCursor: string | null;
}

const reread: Command = {
  words: 'reread',
  summary: 'Read stored messages of unknown kind again, after an upgrade (operator)',
  positionals: [],
  async run({ admin, out }) {
    const client = admin();
    using _ = out.progress('Reading');
    let [unknown, translated] = [0, 0];
    for (const { id } of await allDevices(client)) {
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`;
        const page: Page = await client.call('POST', `/devices/${id}/reread${query}`);
        unknown += page.unknown;
        translated += page.translated;
        cursor = page.nextCursor;
      } while (cursor !== null);
    }
    out.value({ unknown, translated });
    out.line(`Read ${translated} of ${unknown} messages of unknown kind anew.`);
  },
};

const listed = (names: readonly string[]): string => names.join(', ');

const migrateCommand: Command = {
  words: 'migrate',
  summary: 'Show the migrations of the next start, and whether the previous version can still run',
  positionals: [],
  options: {
    check: {
      type: 'boolean',
      help: 'only check; starting the service runs the migrations. Exit code 1 if the previous version could not start afterwards',
    },
  },
  anonymous: true,
  async run({ config, out }, given) {
    if (!flagOption(given, 'check')) throw usageError('add --check: starting the service runs the migrations');
    const { dataDir, databaseUrl = null } = config.offline;
    const { checkFolder, checkPostgres } = await import('../../main/offline.ts');
    const check = await (databaseUrl === null ? checkFolder(dataDir) : checkPostgres(databaseUrl));
    const survives = check.fresh || (check.required.length === 0 && check.unknown.length === 0);
    out.value({ ...check, versionBeforeSurvives: survives });
    if (check.unknown.length > 0) {
      throw new CommandError(
        `a later version has migrated the data (${listed(check.unknown)}): this version does not start`,
      );
    }
    if (check.fresh) return out.line('There is no data yet: the first start creates the database.');
    if (!survives) {
      throw new CommandError(
        `the next start runs ${listed([...check.required, ...check.expansions])}; the previous version does not start afterwards: ` +
          'stop all its nodes first, and make a backup',
      );
    }
    if (check.expansions.length === 0) return out.line('The database is up to date: the next start changes nothing.');
    out.line(`The next start runs ${listed(check.expansions)}, which only add.`);
    out.line('The previous version can run beside this one, and can be started again.');
  },
};

type Rows = Readonly<Record<string, number>>;

const move = async (
  out: Output,
  work: (tell: (table: string, done: number, total: number) => void) => Promise<Rows>,
): Promise<Rows> => {
  using progress = out.progress('Moving');
  return await work((table, done, total) => progress.tell(`Moving ${table}: ${done} of ${total} rows`));
};

const migrateToPostgres: Command = {
  words: 'migrate-to-postgres',
  summary: 'Move the data folder to the PostgreSQL of HANDSET_DATABASE_URL; stop the service first',
  positionals: [],
  anonymous: true,
  async run({ config, out }) {
    const { dataDir, secret, databaseUrl = null } = config.offline;
    if (databaseUrl === null) throw new CommandError('set HANDSET_DATABASE_URL to the PostgreSQL to move to');
    const { moveToPostgres } = await import('../../main/offline.ts');
    const rows = await move(out, (tell) => moveToPostgres(dataDir, secret, databaseUrl, tell));
    out.value({ rows });
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
    out.line(`${total} rows were moved, read back and compared (${rows['devices'] ?? 0} devices).`);
    const where = secret === null ? `the text of the file ${dataDir}/secret` : 'the same as here';
    out.line(`Start every node with HANDSET_DATABASE_URL, and with HANDSET_SECRET set to ${where}.`);
    if ((rows['kept_media'] ?? 0) > 0) {
      const from = config.offline.mediaStore ?? `${dataDir}/media`;
      out.line(`Media is kept: set HANDSET_MEDIA_STORE on every node, and copy ${from} there before.`);
    }
    out.line('The data folder is as it was: never start the service on it again, or sessions are lost.');
  },
};

const compact: Command = {
  words: 'compact',
  summary: 'Rewrite the database without unused space; stop the service first',
  positionals: [],
  anonymous: true,
  async run({ config, out }) {
    const { compactFolder } = await import('../../main/offline.ts');
    const { dataDir, databaseUrl } = config.offline;
    if (databaseUrl)
      throw new CommandError('the data is in the PostgreSQL of HANDSET_DATABASE_URL, whose autovacuum does this');
    using _ = out.progress('Rewriting the database');
    const done = await compactFolder(dataDir);
    out.value(done);
    out.line(`The database has ${bytesOf(done.after)} now; it had ${bytesOf(done.before)}.`);
  },
};

const rotateSecretCommand: Command = {
  words: 'rotate-secret',
  summary: 'Re-encrypt all stored data with a new secret; stop the service first',
  positionals: [],
  anonymous: true,
  async run({ config, out }) {
    const { rotateSecret, rotateSharedSecret } = await import('../../main/offline.ts');
    const { dataDir, newSecret, databaseUrl = null } = config.offline;
    using _ = out.progress('Re-encrypting');
    const { resealed, verified } = await (databaseUrl === null
      ? rotateSecret(config.offline)
      : rotateSharedSecret({ ...config.offline, databaseUrl }));
    out.value({ resealed, verified });
    out.line(`Re-encrypted ${resealed} values and verified all ${verified} with the new secret.`);
    const next =
      newSecret === null
        ? `The new secret is in ${dataDir}/secret: keep a copy elsewhere.`
        : `Start ${databaseUrl === null ? '' : 'every node '}with HANDSET_SECRET set to it.`;
    out.line(`${next} Older backups need the previous secret.`);
  },
};

export const databaseCommands: readonly Command[] = [
  compact,
  rotateSecretCommand,
  migrateCommand,
  reread,
  migrateToPostgres,
];
