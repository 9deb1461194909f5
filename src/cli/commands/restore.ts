/** `handset restore`: puts a backup in the place of the database, or tells that one was put there; the service must be stopped. */
import { type Command, type Context, flagOption, positional } from '../command.ts';
import { CommandError, usageError } from '../failure.ts';

const flag = 'database-was-restored';

const tellRestored = async ({ config, out }: Context): Promise<void> => {
  const { dataDir, secret, databaseUrl = null } = config.offline;
  const { folderWasRestored, postgresWasRestored } = await import('../../main/offline.ts');
  const devices = await (databaseUrl === null
    ? folderWasRestored(dataDir, secret)
    : postgresWasRestored(databaseUrl, secret));
  out.value({ devices });
  out.line(`${devices} linked devices start new sessions and sender keys with the next start.`);
};

const restoreFile = async ({ config, out }: Context, file: string, isSure: boolean): Promise<void> => {
  const { dataDir, secret, databaseUrl } = config.offline;
  if (databaseUrl)
    throw new CommandError(
      'the data is in the PostgreSQL of HANDSET_DATABASE_URL: restore it with pg_restore, psql or its own means, ' +
        `all nodes stopped, and then run "handset restore --${flag}"`,
    );
  if (!isSure) throw usageError(`this replaces the database in ${dataDir}; add --yes to do it`);
  const { restoreFolder } = await import('../../main/offline.ts');
  using _ = out.progress('Verifying the backup');
  const { verified, former } = await restoreFolder(dataDir, file, secret);
  out.value({ verified, former });
  out.line(`Restored ${file} to ${dataDir} and verified its ${verified} encrypted values.`);
  if (former !== null) out.line(`The previous database is kept as ${former}: delete it when all is well.`);
};

export const restore: Command = {
  words: 'restore',
  summary: 'Restore a backup; stop the service first',
  positionals: ['file?'],
  options: { yes: { type: 'boolean', short: 'y' }, [flag]: { type: 'boolean' } },
  optionHelp: {
    yes: 'confirm: everything since the backup is lost',
    [flag]: 'no file: the database was restored by other means (pg_restore, a copy) while all nodes were stopped',
  },
  anonymous: true,
  async run(context, given) {
    const file = positional(given, 0);
    if (flagOption(given, flag)) {
      if (file !== '') throw usageError(`--${flag} takes no file: the database is restored already`);
      return tellRestored(context);
    }
    if (file === '') throw usageError(`give the backup file, or --${flag}`);
    return restoreFile(context, file, flagOption(given, 'yes'));
  },
};
