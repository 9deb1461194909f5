/**
 * Application state (archived chats, pins, contacts): encrypted patches under a version, passed on among the companions
 * of an account. The server cannot read them.
 */
import { proto, type BinaryNode } from 'baileys';

import type { Device } from '../../types.ts';
import { bytesOf, childOf, childrenOf, element, resultOf } from '../nodes.ts';
import { announceAppState } from '../notifications.ts';
import type { HubState } from '../state.ts';
import type { IqHandler, IqTable } from './table.ts';

/** A client that is behind gets so many patches at a time. */
const PATCHES_AT_ONCE = 100;

const collectionNode = (name: string, version: number, content: BinaryNode[], more = false): BinaryNode =>
  element(
    'collection',
    { name, version: String(version), has_more_patches: String(more), type: 'result' },
    content.length === 0 ? undefined : content,
  );

const conflict = (name: string, version: number): BinaryNode =>
  element('collection', { name, version: String(version), type: 'error' }, [
    element('error', { code: '409', text: 'conflict' }),
  ]);

/** A patch is kept under the version that it makes. */
const versioned = (patch: Uint8Array, version: number): Uint8Array => {
  const decoded: proto.ISyncdPatch = proto.SyncdPatch.decode(patch);
  decoded.version = { version };
  return proto.SyncdPatch.encode(decoded).finish();
};

const answerCollection = (hub: HubState, device: Device, node: BinaryNode): BinaryNode => {
  const { name = '' } = node.attrs;
  const known = Number(node.attrs.version ?? 0);
  const { appState } = hub.registry.standing(device.account);
  const patches = appState.get(name) ?? [];
  const offered = bytesOf(childOf(node, 'patch'));
  if (offered === null) {
    const missed = patches.slice(known, known + PATCHES_AT_ONCE).map((patch) => element('patch', {}, patch));
    const content = missed.length === 0 ? [] : [element('patches', {}, missed)];
    const version = Math.min(known + missed.length, patches.length);
    return collectionNode(name, version, content, version < patches.length);
  }
  if (known !== patches.length) return conflict(name, patches.length);
  patches.push(versioned(offered, known + 1));
  appState.set(name, patches);
  announceAppState(hub, device, name, patches.length);
  return collectionNode(name, patches.length, []);
};

const sync: IqHandler = (hub, device, iq) => {
  const collections = childrenOf(childOf(iq, 'sync')).map((node) => answerCollection(hub, device, node));
  return resultOf(iq, [element('sync', {}, collections)]);
};

export const appStateIqs: IqTable = { 'w:sync:app:state set': sync };
