/** `handset migrate --check`: what the next start does to the database, before it does it. */
import { type Command, flagOption } from '../command/command.ts';
import { CommandError, usageError } from '../client/failure.ts';

const listed = (names: readonly string[]): string => names.join(', ');

export const migrateCommand: Command = {
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
