/** `handset backup` and `restore`. */
import { existsSync } from 'node:fs';
import { type Command, type Context, flagOption, positional, textOption } from '../command/command.ts';
import { CommandError, usageError } from '../../mcp/client.ts';
import { bytesOf, type Output } from '../terminal/output.ts';

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

const restoreFile = async (
  { config, out }: Context,
  file: string,
  media: string | undefined,
  isSure: boolean,
): Promise<void> => {
  const { dataDir, secret, databaseUrl, mediaStore } = config.offline;
  const place = mediaStore ?? `${dataDir}/media`;
  if (databaseUrl)
    throw new CommandError(
      'the data is in the PostgreSQL of HANDSET_DATABASE_URL: restore it with pg_restore, psql or its own means, ' +
        `all nodes stopped, and then run "handset restore --${flag}"`,
    );
  if (media !== undefined && place.startsWith('s3://'))
    throw new CommandError(`the media is in ${place}: restore it by the means of the bucket, and leave out --media`);
  if (media !== undefined && !existsSync(media)) throw usageError(`--media: there is no folder ${media}`);
  if (!isSure) throw usageError(`this replaces the database in ${dataDir}; add --yes to do it`);
  const { copyKeptFiles, restoreFolder } = await import('../../main/offline.ts');
  using _ = out.progress('Verifying the backup');
  const { verified, former } = await restoreFolder(dataDir, file, secret);
  const copied = media === undefined ? null : await copyKeptFiles(media, place);
  out.value({ verified, former, copiedMedia: copied });
  out.line(`Restored ${file} to ${dataDir} and verified its ${verified} encrypted values.`);
  if (copied !== null)
    out.line(`Put ${copied} missing ${copied === 1 ? 'file' : 'files'} of kept media into ${place}.`);
  if (former !== null) out.line(`The previous database is kept as ${former}: delete it when all is well.`);
};

const restore: Command = {
  words: 'restore',
  summary: 'Restore a backup; stop the service first',
  positionals: ['file?'],
  options: {
    media: {
      type: 'string',
      value: 'folder',
      help: 'folder of backup --media: kept media that is not in its place is copied there',
    },
    yes: { type: 'boolean', short: 'y', help: 'confirm: everything since the backup is lost' },
    [flag]: {
      type: 'boolean',
      help: 'no file: the database was restored by other means (pg_restore, a copy) while all nodes were stopped',
    },
  },
  anonymous: true,
  async run(context, given) {
    const file = positional(given, 0);
    if (flagOption(given, flag)) {
      if (file !== '' || given.values['media'] !== undefined)
        throw usageError(`--${flag} takes no file and no --media: they are restored already`);
      return tellRestored(context);
    }
    if (file === '') throw usageError(`give the backup file, or --${flag}`);
    return restoreFile(context, file, textOption(given, 'media'), flagOption(given, 'yes'));
  },
};

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

const backup: Command = {
  words: 'backup',
  summary: 'Back up the database to a file, even while the service runs',
  positionals: ['file'],
  options: {
    media: { type: 'string', value: 'folder', help: 'also copy kept media to this folder, if it is not there yet' },
  },
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
    // Media is copied after the database, so that every row in the copy has its file.
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

export const backupCommands: readonly Command[] = [backup, restore];
