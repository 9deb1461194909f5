/**
 * How a collection of the application state is answered: by its newest patches, or as a snapshot to who begins from nothing. Snapshots, and patches
 * that are too long for a stanza, lie on the media host. The server reads nothing of what they say.
 */
import { type BinaryNode, proto } from 'baileys';
import { element } from '../../base/nodes.ts';
import type { HubState } from '../state/state.ts';

/** Most patches in one answer to a client that is behind. */
const patchesAtOnce = 100;
/** Up to this many, a client that begins from nothing gets the patches themselves: a stock client asks the real network's own host for a snapshot. */
const patchesBeforeSnapshot = 50;
const longestPatch = 65_536;

export interface CollectionAnswer {
  readonly content: BinaryNode[];
  readonly version: number;
  readonly hasMore: boolean;
}

/** Records of a collection after all its patches, with the snapshot MAC from the last patch. */
const snapshotOf = (patches: readonly Uint8Array[]): Uint8Array => {
  const records = new Map<string, proto.ISyncdRecord>();
  let last: proto.ISyncdPatch = {};
  for (const bytes of patches) {
    last = proto.SyncdPatch.decode(bytes);
    for (const { operation, record } of last.mutations ?? []) {
      const index = Buffer.from(record?.index?.blob ?? []).toString('base64');
      if (operation === proto.SyncdMutation.SyncdOperation.REMOVE) records.delete(index);
      else if (record) records.set(index, record);
    }
  }
  return proto.SyncdSnapshot.encode({
    version: { version: patches.length },
    records: [...records.values()],
    mac: last.snapshotMac ?? null,
    keyId: last.keyId ?? null,
  }).finish();
};

const reference = async (hub: HubState, bytes: Uint8Array): Promise<proto.IExternalBlobReference> => {
  const file = await hub.storeFile('md-app-state', bytes);
  if (file === null) throw new Error('this network has no media host');
  return file;
};

const patchNode = async (hub: HubState, bytes: Uint8Array): Promise<BinaryNode> => {
  if (bytes.length <= longestPatch) return element('patch', {}, bytes);
  const { mutations, ...patch } = proto.SyncdPatch.decode(bytes);
  const externalMutations = await reference(hub, proto.SyncdMutations.encode({ mutations }).finish());
  return element('patch', {}, proto.SyncdPatch.encode({ ...patch, mutations: [], externalMutations }).finish());
};

/** `known`: the version that the client has. */
export const answerOf = async (
  hub: HubState,
  patches: readonly Uint8Array[],
  known: number,
  wantsSnapshot: boolean,
): Promise<CollectionAnswer> => {
  if (wantsSnapshot && patches.length > patchesBeforeSnapshot) {
    const file = proto.ExternalBlobReference.encode(await reference(hub, snapshotOf(patches))).finish();
    return { content: [element('snapshot', {}, file)], version: patches.length, hasMore: false };
  }
  const from = wantsSnapshot ? 0 : known;
  const missed = await Promise.all(patches.slice(from, from + patchesAtOnce).map((patch) => patchNode(hub, patch)));
  const version = Math.min(from + missed.length, patches.length);
  const content = missed.length === 0 ? [] : [element('patches', {}, missed)];
  return { content, version, hasMore: version < patches.length };
};
