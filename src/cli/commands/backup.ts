/** `handset backup`: copies the database of the data folder, also while the service runs. */
import { type Command, positional } from '../command.ts';

export const backup: Command = {
  words: 'backup',
  summary: 'Copy the database to a file, also while the service runs',
  positionals: ['file'],
  options: {},
  optionHelp: {},
  anonymous: true,
  async run({ config, out }, given) {
    const { backupFolder } = await import('../../main/offline.ts');
    const file = positional(given, 0);
    const { dataDir, secret } = config.offline;
    const bytes = await backupFolder(dataDir, file);
    out.value({ file, bytes });
    out.line(`${file} has the database of ${dataDir} (${bytes} bytes), sealed.`);
    const where = secret === null ? `the file ${dataDir}/secret` : 'HANDSET_SECRET';
    out.line(`It opens with ${where} only: keep a copy of that in another place.`);
  },
};
