/** Brings a database to the present schema: numbered migrations, each run once, each all or nothing. */
import { type Kysely, Migrator } from 'kysely';
import { messageOf } from '../../errors.ts';
import type { ColumnTypes, Schema } from '../schema.ts';
import { initial } from './0001-initial.ts';
import { audit } from './0002-audit.ts';
import { cluster } from './0003-cluster.ts';
import { pairing } from './0004-pairing.ts';
import { appState } from './0005-app-state.ts';
import { attempts } from './0009-attempts.ts';
import { prunedEvents } from './0010-pruned-events.ts';
import { generation } from './0011-generation.ts';

export const migrate = async (db: Kysely<Schema>, types: ColumnTypes): Promise<void> => {
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: async () => ({
        '0001-initial': initial(types),
        '0002-audit': audit(types),
        '0003-cluster': cluster(types),
        '0004-pairing': pairing,
        '0005-app-state': appState(types),
        '0009-attempts': attempts(types),
        '0010-pruned-events': prunedEvents,
        '0011-generation': generation,
      }),
    },
  });
  const known = await migrator.getMigrations().catch((cause: unknown) => {
    throw new Error(`The data cannot be read: ${messageOf(cause)}`, { cause });
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  const what = failed === undefined ? 'The data was written by a newer version' : `Migration ${failed} failed`;
  throw new Error(`${what} (this version knows ${known.length} migrations): ${messageOf(error)}`, { cause: error });
};
