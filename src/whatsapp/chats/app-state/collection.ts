/** Applies an answer of the network to the stored state of a collection. */
import { type LTHashState, newLTHashState } from '../../library/protocol.ts';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '../../library/nodes.ts';
import { proto } from '../../library/proto.ts';
import { type AppStateKeys, idOf, maxRecords, type Mutation, Opener } from './records.ts';

export const collectionNames = [
  'critical_block',
  'critical_unblock_low',
  'regular_high',
  'regular_low',
  'regular',
] as const;
export type CollectionName = (typeof collectionNames)[number];

export const isCollectionName = (name: string | undefined): name is CollectionName =>
  collectionNames.some((each) => each === name);

export interface CollectionAnswer {
  readonly name: CollectionName;
  readonly snapshot: proto.ISyncdSnapshot | null;
  readonly patches: readonly proto.ISyncdPatch[];
  readonly hasMore: boolean;
}

export type Download = (file: proto.IExternalBlobReference) => Promise<Buffer>;

const bytesOf = (node: BinaryNode | undefined): Uint8Array | null =>
  node?.content instanceof Uint8Array ? node.content : null;

/** The network sends a hundred at a time. */
const maxPatches = 1_000;

const patchOf = async (bytes: Uint8Array, download: Download): Promise<proto.ISyncdPatch> => {
  const patch = proto.SyncdPatch.decode(bytes);
  if (!patch.externalMutations) return patch;
  patch.mutations = proto.SyncdMutations.decode(await download(patch.externalMutations)).mutations;
  return patch;
};

export const readAnswer = async (
  node: BinaryNode,
  name: CollectionName,
  download: Download,
): Promise<CollectionAnswer> => {
  const file = bytesOf(getBinaryNodeChild(node, 'snapshot'));
  const nodes = getBinaryNodeChildren(getBinaryNodeChild(node, 'patches') ?? node, 'patch').slice(0, maxPatches);
  const patches: proto.ISyncdPatch[] = [];
  for (const each of nodes) {
    const bytes = bytesOf(each);
    if (bytes !== null) patches.push(await patchOf(bytes, download));
  }
  const snapshot =
    file === null ? null : proto.SyncdSnapshot.decode(await download(proto.ExternalBlobReference.decode(file)));
  return { name, snapshot, patches, hasMore: node.attrs['has_more_patches'] === 'true' };
};

export const keysIn = ({ snapshot, patches }: CollectionAnswer): readonly string[] => {
  const records = [
    ...(snapshot?.records ?? []),
    ...patches.flatMap(({ mutations }) => (mutations ?? []).map(({ record }) => record)),
  ];
  const ids = [snapshot?.keyId, ...patches.map(({ keyId }) => keyId), ...records.map((record) => record?.keyId)];
  return [...new Set(ids.map(idOf))].filter((id) => id !== '');
};

export interface Advanced {
  readonly state: LTHashState;
  readonly mutations: readonly Mutation[];
  /** The collection restarts; earlier entries are void. */
  readonly isReset: boolean;
  /** Unreadable parts of the snapshot are missing. */
  readonly isPartial: boolean;
}

const versionOf = (version: proto.ISyncdVersion | null | undefined): number => Number(version?.version ?? 0);

/** Throws MissingKeys, or an Error for an invalid patch; then nothing of the answer applies. */
export const advance = async (
  { name, snapshot, patches }: CollectionAnswer,
  before: LTHashState | null,
  keys: AppStateKeys,
): Promise<Advanced> => {
  const isReset = snapshot !== null || before === null;
  const opener = new Opener(keys, isReset ? newLTHashState() : before);
  const mutations: Mutation[] = [];
  let isPartial = false;
  let version = isReset ? 0 : before.version;
  if (snapshot !== null) {
    version = versionOf(snapshot.version);
    const records = (snapshot.records ?? []).map((record) => ({ record }));
    mutations.push(...(await opener.take(records, true)));
    // Real snapshots contain records that cannot be opened.
    isPartial = !opener.isWhole(name, version, snapshot.mac, idOf(snapshot.keyId));
  }
  for (const patch of patches) {
    const next = versionOf(patch.version);
    if (next <= version) continue;
    if ((patch.mutations ?? []).length > maxRecords) throw new Error(`More than ${maxRecords} records`);
    if (!opener.isWritten(name, next, patch)) throw new Error('A patch has the wrong MAC');
    mutations.push(...(await opener.take(patch.mutations ?? [])));
    const isWhole = opener.isWhole(name, next, patch.snapshotMac, idOf(patch.keyId));
    if (!isWhole && !isPartial) throw new Error('A patch leads to a different state than its MAC says');
    version = next;
  }
  const { state } = opener;
  return { state: { ...state, version }, mutations, isReset, isPartial };
};
