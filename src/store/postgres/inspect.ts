/** A look at the database of several nodes, also while they use it: nothing is written. */
import { Kysely } from 'kysely';
import { unsafeSettings } from '../durability.ts';
import { leaseStore } from '../cluster/leases.ts';
import { hasMark, opensMark } from '../sealing/data-markers.ts';
import { reachable } from './open.ts';
import { PostgresDatabase } from './postgres.ts';
import type { Schema } from '../schema.ts';
import { makeSeal } from '../sealing/seal.ts';

export interface SharedState {
  readonly bytes: number;
  /** Nodes that run now. */
  readonly nodes: number;
  /** A rotation of the secret is unfinished. */
  readonly rotating: boolean;
  /** Whether the secret opens it; null: there is nothing to try it on. */
  readonly opens: boolean | null;
  /** One sentence for each server setting that weakens durability. */
  readonly unsafe: readonly string[];
}

/** Throws an Error in plain words when it cannot be reached. */
export const inspectShared = async (databaseUrl: string, secret: string): Promise<SharedState> => {
  const database = new PostgresDatabase(databaseUrl, 1, () => undefined);
  try {
    await reachable(database);
    const sql = new Kysely<Schema>({ dialect: database.dialect() });
    const seal = makeSeal(secret);
    const context = {
      sql,
      database,
      seal,
      now: () => Date.now(),
      published: () => undefined,
    };
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
      rotating: await hasMark(context, 'rotation'),
      opens: (await hasMark(context, 'seal check')) ? await opensMark(context, seal, 'seal check') : null,
    };
  } finally {
    await database.close();
  }
};
