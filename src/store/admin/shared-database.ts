/** Maintenance of a shared PostgreSQL: inspection, rotation of the secret, and the step after a restore. */
import { unsafeSettings } from '../base/durability.ts';
import { leaseStore } from '../cluster/leases.ts';
import { hasMarker, opensMarker, assertSecret } from '../sealing/data-markers.ts';
import { withPostgres, startLock } from '../open-postgres.ts';
import { type Rotation, type RotationOptions, rotateFrom } from './rotate.ts';
import { makeSealer } from '../sealing/sealer.ts';
import { raise } from '../cluster/generation.ts';
import { migrate } from '../migrations/run.ts';
import { postgresTypes } from '../postgres/postgres.ts';

export interface SharedState {
  readonly bytes: number;
  readonly nodes: number;
  readonly rotating: boolean;
  readonly opens: boolean | null;
  /** One sentence for each server setting that weakens durability. */
  readonly unsafe: readonly string[];
}

export const inspectShared = (databaseUrl: string, secret: string): Promise<SharedState> =>
  withPostgres(databaseUrl, secret, async (context) => {
    const { database, sealer } = context;
    const [size] = await database.read(function* () {
      const rows: { readonly bytes: number; readonly fresh: boolean }[] = yield {
        sql: "select pg_database_size(current_database()) as bytes, to_regclass('nodes') is null as fresh",
        values: [],
      };
      return rows;
    });
    const bytes = size?.bytes ?? 0;
    const unsafe = await unsafeSettings(database);
    if (size?.fresh !== false) return { bytes, nodes: 0, rotating: false, opens: null, unsafe };
    return {
      bytes,
      unsafe,
      nodes: (await leaseStore(context).nodes()).length,
      rotating: await hasMarker(context, 'rotation'),
      opens: (await hasMarker(context, 'seal check')) ? await opensMarker(context, sealer, 'seal check') : null,
    };
  });

interface SharedRotation extends Omit<RotationOptions, 'dataDir'> {
  readonly databaseUrl: string;
}

const assertAlone = async (context: Parameters<typeof leaseStore>[0]): Promise<void> => {
  const nodes = await leaseStore(context).nodes();
  if (nodes.length === 0) return;
  const names = nodes.map(({ url }) => url).join(', ');
  throw new Error(
    `Nodes are running: stop all of them first (the lease of a node that was killed must expire): ${names}`,
  );
};

export const rotateSharedSecret = async (options: SharedRotation): Promise<Rotation> => {
  const { databaseUrl, secret, newSecret, step = () => undefined } = options;
  if (secret === null || newSecret === null) {
    throw new Error('Set HANDSET_SECRET to the present secret, and HANDSET_NEW_SECRET to the one to use from now on');
  }
  return withPostgres(databaseUrl, secret, (context) =>
    // Nodes starting meanwhile wait, and then find the secret changed.
    context.database.alone(startLock, async () => {
      await assertAlone(context);
      return rotateFrom(context, {
        from: context.sealer,
        to: makeSealer(newSecret),
        replace: () => undefined,
        step: async (name) => {
          // A node may have looked for the marker just before it was written.
          if (name !== 'replaced') await assertAlone(context);
          await step(name);
        },
      });
    }),
  );
};

/** After a restore by PostgreSQL's own tools: all devices begin new Signal sessions. Returns how many. */
export const postgresWasRestored = async (databaseUrl: string, secret: string | null): Promise<number> => {
  if (secret === null) throw new Error('Set HANDSET_SECRET to the secret that the database was sealed with');
  return withPostgres(databaseUrl, secret, (context) =>
    context.database.alone(startLock, async () => {
      await migrate(context.sql, postgresTypes);
      await assertSecret(context, 'the database');
      await assertAlone(context);
      return (await context.database.write(() => raise(context, null, true))).restored ?? 0;
    }),
  );
};
