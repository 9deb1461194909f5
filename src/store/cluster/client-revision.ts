/** The last accepted client revision of each network, stored as sealed markers. */
import type { Expiration, NetworkKind, RevisionStore, StoredRevision } from '../../domain/client-version.ts';
import type { Context } from '../base/context.ts';
import { dropMarker, type MarkerName, putMarker, readMarker } from '../sealing/data-markers.ts';
import { SealBroken } from '../sealing/sealer.ts';

const markerOf = (network: NetworkKind): MarkerName => `client revision on ${network}`;

const expirationOf = (network: NetworkKind): MarkerName => `client expiration on ${network}`;

const decode = (text: string | null): readonly [revision: number, ms: number] | null => {
  const [, revision, ms] = /^(\d{1,10}) (\d{1,16})$/.exec(text ?? '') ?? [];
  return revision === undefined ? null : [Number(revision), Number(ms)];
};

const load = async (context: Context, name: MarkerName): Promise<ReturnType<typeof decode>> => {
  try {
    return decode(await readMarker(context, context.sealer, name));
  } catch (error) {
    // Sealed with an earlier secret; the next fetch replaces it.
    if (error instanceof SealBroken) return null;
    throw error;
  }
};

const loadRevision = async (context: Context, network: NetworkKind): Promise<StoredRevision | null> => {
  const [revision, firstSeenAt] = (await load(context, markerOf(network))) ?? [];
  return revision === undefined || firstSeenAt === undefined ? null : { revision, firstSeenAt };
};

const loadExpiration = async (context: Context, network: NetworkKind): Promise<Expiration | null> => {
  const [revision, at] = (await load(context, expirationOf(network))) ?? [];
  return revision === undefined || at === undefined ? null : { revision, at };
};

export const revisionStore = (context: Context): RevisionStore => {
  const { sealer, database } = context;
  const put = (name: MarkerName, revision: number, ms: number) =>
    database.write(() => putMarker(context, sealer, name, `${revision} ${ms}`));
  return {
    load: (network) => loadRevision(context, network),
    async keep(network, { revision, firstSeenAt }) {
      const known = await loadRevision(context, network);
      if (known !== null && known.revision >= revision) return;
      await put(markerOf(network), revision, firstSeenAt);
    },
    loadExpiration: (network) => loadExpiration(context, network),
    async keepExpiration(network, expiration) {
      if (expiration === null) await database.write(() => dropMarker(context, expirationOf(network)));
      else await put(expirationOf(network), expiration.revision, expiration.at);
    },
  };
};
