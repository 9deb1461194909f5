/**
 * Application state (archived chats, pins, contacts): encrypted patches under a version, passed on among the devices of an account. The server cannot
 * read them.
 */
import { proto, type BinaryNode } from 'baileys';
import type { Device } from '../../base/types.ts';
import { answerOf } from './app-state-collections.ts';
import { bytesOf, childOf, childrenOf, element, resultOf } from '../../base/nodes.ts';
import { announceAppState } from '../messages/notifications.ts';
import type { HubState } from '../state/state.ts';
import { answerLater, type IqHandler, type IqTable } from './table.ts';

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

/** A patch is kept under the version that it makes. */
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
  const { refuseAppState } = hub.faults;
  if (refuseAppState !== null && device.id !== 0) return refusal(name, patches.length, refuseAppState, 'refused');
  if (known !== patches.length) return refusal(name, patches.length, 409, 'conflict');
  patches.push(versioned(offered, known + 1));
  appState.set(name, patches);
  announceAppState(hub, device, name, patches.length);
  return collectionNode(name, patches.length, []);
};

const answerCollection = async (hub: HubState, device: Device, node: BinaryNode): Promise<BinaryNode> => {
  const offered = bytesOf(childOf(node, 'patch'));
  if (offered !== null) return takePatch(hub, device, node, offered);
  const { name = '', version = '0', return_snapshot: wanted } = node.attrs;
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
