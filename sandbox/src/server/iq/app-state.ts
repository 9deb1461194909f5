/** Application state on the server: its collections, and requests for them. */
import { type BinaryNode, proto } from 'baileys';
import { element, bytesOf, childOf, childrenOf, resultOf } from '../../base/nodes.ts';
import type { HubState } from '../state/state.ts';
import type { Device } from '../../base/types.ts';
import { announceAppState } from '../messages/notifications.ts';
import { answerLater, type IqHandler, type IqTable } from './table.ts';

/**
 * A collection is answered by its newest patches, or a snapshot for a client that starts from nothing. Snapshots and large
 * patches go to the media host. The server cannot read their content.
 */
const patchesAtOnce = 100;
/** Up to this many, a client that starts from nothing gets the patches: a stock client would ask the real network's host for a snapshot. */
const patchesBeforeSnapshot = 50;
const maxPatch = 65_536;

interface CollectionAnswer {
  readonly content: BinaryNode[];
  readonly version: number;
  readonly hasMore: boolean;
}

/** Records of a collection after all patches, with the snapshot MAC of the last. */
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
  if (bytes.length <= maxPatch) return element('patch', {}, bytes);
  const { mutations, ...patch } = proto.SyncdPatch.decode(bytes);
  const externalMutations = await reference(hub, proto.SyncdMutations.encode({ mutations }).finish());
  return element('patch', {}, proto.SyncdPatch.encode({ ...patch, mutations: [], externalMutations }).finish());
};

const answerOf = async (
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

const collectionNode = (name: string, version: number, content: BinaryNode[], more = false): BinaryNode =>
  element(
    'collection',
    { name, version: String(version), has_more_patches: String(more), type: 'result' },
    content.length === 0 ? undefined : content,
  );

const refusal = (name: string, version: number, code: number, text: string): BinaryNode =>
  element('collection', { name, version: String(version), type: 'error' }, [
    element('error', { code: String(code), text }),
  ]);

const versioned = (patch: Uint8Array, version: number): Uint8Array => {
  const decoded: proto.ISyncdPatch = proto.SyncdPatch.decode(patch);
  decoded.version = { version };
  return proto.SyncdPatch.encode(decoded).finish();
};

const takePatch = (hub: HubState, device: Device, node: BinaryNode, offered: Uint8Array): BinaryNode => {
  const { name = '' } = node.attrs;
  const known = Number(node.attrs.version ?? 0);
  const { appState } = hub.registry.stateOf(device.account);
  const patches = appState.get(name) ?? [];
  if (known !== patches.length) return refusal(name, patches.length, 409, 'conflict');
  patches.push(versioned(offered, known + 1));
  appState.set(name, patches);
  announceAppState(hub, device, name, patches.length);
  return collectionNode(name, patches.length, []);
};

const answerCollection = async (hub: HubState, device: Device, node: BinaryNode): Promise<BinaryNode> => {
  const { name = '', version = '0', return_snapshot: wanted } = node.attrs;
  const { refuseAppState } = hub.faults;
  if (refuseAppState !== null && device.id !== 0) return refusal(name, Number(version), refuseAppState, 'refused');
  const offered = bytesOf(childOf(node, 'patch'));
  if (offered !== null) return takePatch(hub, device, node, offered);
  const patches = hub.registry.stateOf(device.account).appState.get(name) ?? [];
  const answer = await answerOf(hub, patches, Number(version), wanted === 'true');
  return collectionNode(name, answer.version, answer.content, answer.hasMore);
};

const answerAll = async (hub: HubState, device: Device, iq: BinaryNode): Promise<BinaryNode> => {
  const asked = childrenOf(childOf(iq, 'sync'));
  const answered = await Promise.all(asked.map((node) => answerCollection(hub, device, node)));
  return resultOf(iq, [element('sync', {}, answered)]);
};

const sync: IqHandler = (hub, device, iq) => answerLater(hub, device, iq, answerAll(hub, device, iq));

export const appStateIqs: IqTable = { 'w:sync:app:state set': sync };
