/** `handset compact`: rewrites the database without the space that deletions have left; the service must be stopped. */
import type { Command } from '../command/command.ts';
import { CommandError } from '../client/failure.ts';
import { bytesOf } from '../terminal/output.ts';

export const compact: Command = {
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
