/** `handset backup`: copies the database of the data folder, also while the service runs. */
import { type Command, positional } from '../command.ts';
import { CommandError } from '../failure.ts';
import { bytesOf, type Output } from '../terminal/output.ts';

const copy = async (
  out: Output,
  file: string,
  work: (tell: (done: number, total: number) => void) => Promise<number>,
): Promise<number> => {
  using progress = out.progress(`Copying to ${file}`);
  return await work((done, total) => {
    progress.tell(done < total ? `Copying: ${bytesOf(done)} of ${bytesOf(total)}` : 'Checking the copy');
  });
};

export const backup: Command = {
  words: 'backup',
  summary: 'Back up the database to a file, even while the service runs',
  positionals: ['file'],
  options: {},
  optionHelp: {},
  anonymous: true,
  async run({ config, out }, given) {
    const { backupFolder } = await import('../../main/offline.ts');
    const file = positional(given, 0);
    const { dataDir, secret, databaseUrl } = config.offline;
    if (databaseUrl)
      throw new CommandError('the data is in the PostgreSQL of HANDSET_DATABASE_URL: back it up with pg_dump');
    const bytes = await copy(out, file, (tell) => backupFolder(dataDir, file, tell));
    out.value({ file, bytes });
    out.line(`Backed up the database of ${dataDir} to ${file} (${bytes} bytes, encrypted).`);
    const where = secret === null ? `the file ${dataDir}/secret` : 'HANDSET_SECRET';
    out.line(`It can only be opened with ${where}: keep a copy of that elsewhere.`);
  },
};
