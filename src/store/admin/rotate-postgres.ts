/** Rotation of the secret of several nodes, in their PostgreSQL: no node may be running, and none starts before it is finished. */
import type { Context } from '../base/context.ts';
import { leaseStore } from '../cluster/leases.ts';
import { startLock, withPostgres } from '../open-postgres.ts';
import { type Rotation, type RotationOptions, rotateFrom } from './rotate.ts';
import { makeSealer } from '../sealing/sealer.ts';

interface SharedRotation extends Omit<RotationOptions, 'dataDir'> {
  readonly databaseUrl: string;
}

/** Throws while a node runs, which would go on with what it has in memory. */
export const assertAlone = async (context: Context): Promise<void> => {
  const nodes = await leaseStore(context).nodes();
  if (nodes.length === 0) return;
  const names = nodes.map(({ url }) => url).join(', ');
  throw new Error(
    `Nodes are running: stop all of them first (the lease of a node that was killed must expire): ${names}`,
  );
};

/** Throws an Error in plain words: a node is running, or the secret is not the one of the data. */
export const rotateSharedSecret = async (options: SharedRotation): Promise<Rotation> => {
  const { databaseUrl, secret, newSecret, step = () => undefined } = options;
  if (secret === null || newSecret === null) {
    throw new Error('Set HANDSET_SECRET to the present secret, and HANDSET_NEW_SECRET to the one to use from now on');
  }
  return withPostgres(databaseUrl, secret, (context) =>
    // Nodes that start meanwhile wait, and then find that their secret is the former one.
    context.database.alone(startLock, async () => {
      await assertAlone(context);
      return rotateFrom(context, {
        from: context.sealer,
        to: makeSealer(newSecret),
        replace: () => undefined,
        step: async (name) => {
          // One may have looked for the marker just before it was there.
          if (name !== 'replaced') await assertAlone(context);
          await step(name);
        },
      });
    }),
  );
};
