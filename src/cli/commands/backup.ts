/** `handset backup`: copies the database of the data folder, also while the service runs. */
import { type Command, positional, textOption } from '../command/command.ts';
import { CommandError } from '../client/failure.ts';
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
  options: { media: { type: 'string', help: 'copy kept media to this folder, too: what it does not have yet' } },
  anonymous: true,
  async run({ config, out }, given) {
    const { backupFolder, copyKeptFiles, countKept } = await import('../../main/offline.ts');
    const file = positional(given, 0);
    const { dataDir, secret, databaseUrl, mediaStore } = config.offline;
    if (databaseUrl)
      throw new CommandError('the data is in the PostgreSQL of HANDSET_DATABASE_URL: back it up with pg_dump');
    const place = mediaStore ?? `${dataDir}/media`;
    const folder = textOption(given, 'media');
    if (folder !== undefined && place.startsWith('s3://'))
      throw new CommandError(`the media is in ${place}: back it up by the means of the bucket, and leave out --media`);
    const bytes = await copy(out, file, (tell) => backupFolder(dataDir, file, tell));
    const kept = countKept(dataDir);
    // After the database, whose rows then have their files.
    const copied = folder === undefined ? null : await copyKeptFiles(place, folder);
    out.value({ file, bytes, keptMedia: kept, copiedMedia: copied });
    out.line(`Backed up the database of ${dataDir} to ${file} (${bytes} bytes, encrypted).`);
    const where = secret === null ? `the file ${dataDir}/secret` : 'HANDSET_SECRET';
    if (copied !== null)
      out.line(`Copied ${copied} new ${copied === 1 ? 'file' : 'files'} of kept media to ${folder}.`);
    else if (kept.files > 0) {
      const files = kept.files === 1 ? '1 file' : `${kept.files} files`;
      out.line(`Kept media (${files}, ${bytesOf(kept.bytes)}) is not in it: back up ${place} as well.`);
    }
    out.line(`It can only be opened with ${where}: keep a copy of that elsewhere.`);
  },
};
