/** The last good client revision of each network, as markers of the installation. */
import type { NetworkKind, RevisionStore, StoredRevision } from '../../domain/client-version.ts';
import type { Context } from '../context.ts';
import { type MarkerName, putMarker, readMarker } from '../sealing/data-markers.ts';
import { SealBroken } from '../sealing/sealer.ts';

const markerOf = (network: NetworkKind): MarkerName => `client revision on ${network}`;

const encode = ({ revision, firstSeenAt }: StoredRevision): string => `${revision} ${firstSeenAt}`;

/** Null for anything that this has not written. */
const decode = (text: string | null): StoredRevision | null => {
  const [, revision, firstSeenAt] = /^(\d{1,10}) (\d{1,16})$/.exec(text ?? '') ?? [];
  return revision === undefined ? null : { revision: Number(revision), firstSeenAt: Number(firstSeenAt) };
};

const loadRevision = async (context: Context, name: MarkerName): Promise<StoredRevision | null> => {
  try {
    return decode(await readMarker(context, context.sealer, name));
  } catch (error) {
    // Sealed with an earlier secret: the next look at the page replaces it.
    if (error instanceof SealBroken) return null;
    throw error;
  }
};

export const revisionStore = (context: Context): RevisionStore => ({
  load: (network) => loadRevision(context, markerOf(network)),
  async keep(network, stored) {
    const { sealer, database } = context;
    const name = markerOf(network);
    const known = await loadRevision(context, name);
    if (known !== null && known.revision >= stored.revision) return;
    // If two nodes do this at once, the last one wins: both read the revision from the same page.
    await database.write(() => putMarker(context, sealer, name, encode(stored)));
  },
});
