/** The last accepted client revision of each network, stored as sealed markers. */
import type { NetworkKind, RevisionStore } from '../../domain/client-version.ts';
import type { Context } from '../base/context.ts';
import { dropMarker, type MarkerName, putMarker, readMarker } from '../sealing/data-markers.ts';
import { SealBroken } from '../sealing/sealer.ts';

const markerOf = (network: NetworkKind): MarkerName => `client revision on ${network}`;

const expirationOf = (network: NetworkKind): MarkerName => `client expiration on ${network}`;

const load = async (context: Context, name: MarkerName): Promise<readonly [revision: number, ms: number] | null> => {
  try {
    const text = await readMarker(context, context.sealer, name);
    const [, revision, ms] = /^(\d{1,10}) (\d{1,16})$/.exec(text ?? '') ?? [];
    return revision === undefined ? null : [Number(revision), Number(ms)];
  } catch (error) {
    // Sealed with an earlier secret; the next fetch replaces it.
    if (error instanceof SealBroken) return null;
    throw error;
  }
};

export const revisionStore = (context: Context): RevisionStore => {
  const { sealer, database } = context;
  const put = (name: MarkerName, revision: number, ms: number) =>
    database.write(() => putMarker(context, sealer, name, `${revision} ${ms}`));
  return {
    load: async (network) => {
      const found = await load(context, markerOf(network));
      return found === null ? null : { revision: found[0], firstSeenAt: found[1] };
    },
    async keep(network, { revision, firstSeenAt }) {
      const [known = -1] = (await load(context, markerOf(network))) ?? [];
      if (known >= revision) return;
      await put(markerOf(network), revision, firstSeenAt);
    },
    loadExpiration: async (network) => {
      const found = await load(context, expirationOf(network));
      return found === null ? null : { revision: found[0], at: found[1] };
    },
    async keepExpiration(network, expiration) {
      if (expiration === null) await database.write(() => dropMarker(context, expirationOf(network)));
      else await put(expirationOf(network), expiration.revision, expiration.at);
    },
  };
};
