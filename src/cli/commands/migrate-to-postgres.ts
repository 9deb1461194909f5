/** `handset migrate-to-postgres`: moves the embedded database to PostgreSQL; the service must be stopped. */
import type { Command } from '../command/command.ts';
import { CommandError } from '../client/failure.ts';
import type { Output } from '../terminal/output.ts';

type Rows = Readonly<Record<string, number>>;

const move = async (
  out: Output,
  work: (tell: (table: string, done: number, total: number) => void) => Promise<Rows>,
): Promise<Rows> => {
  using progress = out.progress('Moving');
  return await work((table, done, total) => progress.tell(`Moving ${table}: ${done} of ${total} rows`));
};

export const migrateToPostgres: Command = {
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
