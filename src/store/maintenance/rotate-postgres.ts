/** Rotation of the secret of several nodes, in their PostgreSQL: no node may be running, and none starts before it is finished. */
import { Kysely } from 'kysely';
import type { Context } from '../context.ts';
import { leaseStore } from '../cluster/leases.ts';
import { reachable, startLock } from '../postgres/open.ts';
import { PostgresDatabase } from '../postgres/postgres.ts';
import { type Rotation, type RotationOptions, rotateFrom } from './rotate.ts';
import type { Schema } from '../schema.ts';
import { makeSeal } from '../sealing/seal.ts';

interface SharedRotation extends Omit<RotationOptions, 'dataDir'> {
  readonly databaseUrl: string;
}

/** A node that runs would go on with what it knows. */
export const assertAlone = async (context: Context): Promise<void> => {
  const nodes = await leaseStore(context).nodes();
  if (nodes.length === 0) return;
  const names = nodes.map(({ url }) => url).join(', ');
  throw new Error(`Nodes are running: stop all of them first (of one that was killed the lease must end): ${names}`);
};

/** Throws an Error in plain words: a node is running, or the secret is not the one of the data. */
export const rotateSharedSecret = async (options: SharedRotation): Promise<Rotation> => {
  const { databaseUrl, secret, newSecret, step = () => undefined } = options;
  if (secret === null || newSecret === null) {
    throw new Error('Set HANDSET_SECRET to the present secret, and HANDSET_NEW_SECRET to the one to use from now on');
  }
  const database = new PostgresDatabase(databaseUrl, 2, () => undefined);
  try {
    const sql = new Kysely<Schema>({ dialect: database.dialect() });
    const from = makeSeal(secret);
    const context: Context = {
      sql,
      database,
      seal: from,
      now: () => Date.now(),
      published: () => undefined,
    };
    await reachable(database);
    // Nodes that start meanwhile wait, and then find that their secret is the former one.
    return await database.alone(startLock, async () => {
      await assertAlone(context);
      return rotateFrom(context, {
        from,
        to: makeSeal(newSecret),
        replace: () => undefined,
        step: async (name) => {
          // One may have looked for the mark just before it was there.
          if (name !== 'replaced') await assertAlone(context);
          await step(name);
        },
      });
    });
  } finally {
    await database.close();
  }
};
