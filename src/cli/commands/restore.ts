/** `handset restore`: puts a backup in the place of the database; the service must be stopped. */
import { type Command, flagOption, positional } from '../command.ts';
import { CommandError, usageError } from '../failure.ts';

export const restore: Command = {
  words: 'restore',
  summary: 'Put a backup in the place of the database; stop the service first',
  positionals: ['file'],
  options: { yes: { type: 'boolean', short: 'y' } },
  optionHelp: { yes: 'really: what was sent and received since the backup is not in it' },
  anonymous: true,
  async run({ config, out }, given) {
    const file = positional(given, 0);
    const { dataDir, secret, databaseUrl } = config.offline;
    if (databaseUrl)
      throw new CommandError(
        'the data is in the PostgreSQL of HANDSET_DATABASE_URL: restore it with pg_restore or psql',
      );
    if (!flagOption(given, 'yes')) throw usageError(`this replaces the database in ${dataDir}; add --yes to do it`);
    const { restoreFolder } = await import('../../main/offline.ts');
    using _ = out.progress('Opening every sealed value of the backup');
    const { verified, former } = await restoreFolder(dataDir, file, secret);
    out.value({ verified, former });
    out.line(`${file} is restored to ${dataDir}; all of its ${verified} sealed values open.`);
    if (former !== null) out.line(`What was there is kept as ${former}: delete it when all is well.`);
  },
};
