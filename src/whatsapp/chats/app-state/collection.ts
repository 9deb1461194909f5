/** Applies an answer of the network to the stored state of a collection. */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '../../library/nodes.ts';
import { proto } from '../../library/proto.ts';
import { nextTurn } from '../../../domain/turns.ts';
import { type FieldRoom, fieldsWithin, lengthDelimited, varintField } from '../../signal/session-record.ts';
import { type CollectionState, emptyState } from './collection-state.ts';
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

/** Bytes of a record; those of accounts have some hundred. */
const maxRecordBytes = 65_536;
/** Beside the records. */
const maxOthers = 1_000;

/** Decoded one by one, with turns for others: a record of two bytes takes a hundred times as many in memory. `room`: for all of an answer. */
const inTurns = async <Whole, Item>(
  bytes: Uint8Array,
  room: FieldRoom,
  wanted: number,
  whole: { decode(bytes: Uint8Array): Whole },
  item: { decode(bytes: Uint8Array): Item },
): Promise<readonly [Whole, Item[]]> => {
  const items: Item[] = [];
  const others: Uint8Array[] = [];
  for (const { number, value } of fieldsWithin(bytes, room)) {
    const turn = nextTurn();
    if (turn !== null) await turn;
    if (typeof value === 'number') others.push(varintField(number, value));
    else if (number !== wanted) others.push(lengthDelimited(number, value));
    else if (value.length <= maxRecordBytes) items.push(item.decode(value));
    else throw new Error('A record is too long');
    if (others.length > maxOthers) throw new Error('Not a collection');
  }
  if (room.left < 0) throw new Error(`More than ${maxRecords} records`);
  return [whole.decode(Buffer.concat(others)), items];
};

const patchOf = async (bytes: Uint8Array, download: Download, room: FieldRoom): Promise<proto.ISyncdPatch> => {
  const [patch, mutations] = await inTurns(bytes, room, 2, proto.SyncdPatch, proto.SyncdMutation);
  patch.mutations = mutations;
  if (!patch.externalMutations) return patch;
  const file = await download(patch.externalMutations);
  [, patch.mutations] = await inTurns(file, room, 1, proto.SyncdMutations, proto.SyncdMutation);
  return patch;
};

const snapshotOf = async (bytes: Uint8Array, download: Download, room: FieldRoom): Promise<proto.ISyncdSnapshot> => {
  const file = await download(proto.ExternalBlobReference.decode(bytes));
  const [snapshot, records] = await inTurns(file, room, 2, proto.SyncdSnapshot, proto.SyncdRecord);
  snapshot.records = records;
  return snapshot;
};

export const readAnswer = async (
  node: BinaryNode,
  name: CollectionName,
  download: Download,
): Promise<CollectionAnswer> => {
  const file = bytesOf(getBinaryNodeChild(node, 'snapshot'));
  const nodes = getBinaryNodeChildren(getBinaryNodeChild(node, 'patches') ?? node, 'patch').slice(0, maxPatches);
  // A snapshot and its patches may write each record twice.
  const room = { left: 2 * maxRecords };
  const patches: proto.ISyncdPatch[] = [];
  for (const each of nodes) {
    const bytes = bytesOf(each);
    if (bytes !== null) patches.push(await patchOf(bytes, download, room));
  }
  const snapshot = file === null ? null : await snapshotOf(file, download, room);
  return { name, snapshot, patches, hasMore: node.attrs['has_more_patches'] === 'true' };
};

const recordsIn = ({ snapshot, patches }: CollectionAnswer): (proto.ISyncdRecord | null | undefined)[] => [
  ...(snapshot?.records ?? []),
  ...patches.flatMap(({ mutations }) => (mutations ?? []).map(({ record }) => record)),
];

/** MACs of the indexes of its records. */
export const indexesIn = (answer: CollectionAnswer): readonly Uint8Array[] =>
  recordsIn(answer).map((record) => record?.index?.blob ?? new Uint8Array());

export const keysIn = (answer: CollectionAnswer): readonly string[] => {
  const { snapshot, patches } = answer;
  const records = recordsIn(answer);
  const ids = [snapshot?.keyId, ...patches.map(({ keyId }) => keyId), ...records.map((record) => record?.keyId)];
  return [...new Set(ids.map(idOf))].filter((id) => id !== '');
};

export interface Advanced {
  readonly state: CollectionState;
  readonly mutations: readonly Mutation[];
  /** The collection restarts; earlier entries are void. */
  readonly isReset: boolean;
  /** Unreadable parts of the snapshot are missing. */
  readonly isPartial: boolean;
}

const versionOf = (version: proto.ISyncdVersion | null | undefined): number => Number(version?.version ?? 0);

/** `before`: with the parts of the answer's records. Throws MissingKeys, or an Error for an invalid patch; then nothing of the answer applies. */
export const advance = async (
  { name, snapshot, patches }: CollectionAnswer,
  before: CollectionState | null,
  keys: AppStateKeys,
): Promise<Advanced> => {
  const isReset = snapshot !== null || before === null;
  const opener = new Opener(keys, isReset ? emptyState() : before);
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
