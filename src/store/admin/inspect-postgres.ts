/** Inspects the database of several nodes, even while they use it; writes nothing. */
import { unsafeSettings } from '../base/durability.ts';
import { leaseStore } from '../cluster/leases.ts';
import { hasMarker, opensMarker } from '../sealing/data-markers.ts';
import { withPostgres } from '../open-postgres.ts';

export interface SharedState {
  readonly bytes: number;
  /** Nodes that run now. */
  readonly nodes: number;
  /** Whether a rotation of the secret is unfinished. */
  readonly rotating: boolean;
  /** Whether the secret opens the data; null while there is none. */
  readonly opens: boolean | null;
  /** One sentence for each server setting that weakens durability. */
  readonly unsafe: readonly string[];
}

/** Throws an Error in plain words when it cannot be reached. */
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
