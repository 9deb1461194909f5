/** The key directory: upload, count, digest, rotation and fetching of public Signal keys. */
import { createHash } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import type { Device, PublicSignedPreKey, PublishedKeys } from '../../base/types.ts';
import { bytesOf, childOf, childrenOf, element, errorOf, resultOf, uintBytes, uintOf } from '../../base/nodes.ts';
import { parseJid } from '../accounts/jid.ts';
import { announceIdentity, tellIfPreKeysLow } from '../messages/notifications.ts';
import type { HubState } from '../state/state.ts';
import type { IqHandler, IqTable } from './table.ts';

const KEY_BYTES = 32;
const KEY_TYPE = Buffer.from([5]);

/** A copy: views would keep the whole stanza alive. */
const copyOf = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);

const readSignedPreKey = (node: BinaryNode | undefined): PublicSignedPreKey | null => {
  const id = bytesOf(childOf(node, 'id'));
  const publicKey = bytesOf(childOf(node, 'value'));
  const signature = bytesOf(childOf(node, 'signature'));
  if (id === null || publicKey?.length !== 32 || signature?.length !== 64) return null;
  return { id: uintOf(id), publicKey: copyOf(publicKey), signature: copyOf(signature) };
};

const readUpload = (iq: BinaryNode): PublishedKeys | null => {
  const registration = bytesOf(childOf(iq, 'registration'));
  const identity = bytesOf(childOf(iq, 'identity'));
  const signedPreKey = readSignedPreKey(childOf(iq, 'skey'));
  if (registration === null || identity?.length !== 32 || signedPreKey === null) return null;
  const given = childrenOf(childOf(iq, 'list')).flatMap((key): [number, Uint8Array][] => {
    const id = bytesOf(childOf(key, 'id'));
    const value = bytesOf(childOf(key, 'value'));
    return id !== null && value?.length === KEY_BYTES ? [[uintOf(id), value]] : [];
  });
  // Views of one copy: hundreds of small arrays per device would take twice the memory.
  const keys = Buffer.concat(given.map(([, value]) => value));
  const preKeys = new Map(given.map(([id], at) => [id, keys.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES)] as const));
  return { registrationId: uintOf(registration), identity: copyOf(identity), signedPreKey, preKeys };
};

/** A phone with a new identity key was reinstalled, which voids everything known of it. */
const upload: IqHandler = (hub, device, iq) => {
  const uploaded = readUpload(iq);
  if (uploaded === null) return errorOf(iq, 400, 'bad-request');
  const before = device.keys;
  if (before === null || Buffer.compare(before.identity, uploaded.identity) !== 0) {
    device.keys = uploaded;
    if (before !== null && device.id === 0) {
      // Encrypted under a key that is gone with the old installation.
      hub.registry.stateOf(device.account).appState.clear();
      announceIdentity(hub, device.account);
    }
  } else {
    before.registrationId = uploaded.registrationId;
    before.signedPreKey = uploaded.signedPreKey;
    for (const [id, key] of uploaded.preKeys) before.preKeys.set(id, key);
  }
  hub.toldPreKeysLow.delete(device);
  return resultOf(iq);
};

const count: IqHandler = (_hub, device, iq) =>
  resultOf(iq, [element('count', { value: String(device.keys?.preKeys.size ?? 0) })]);

const rotate: IqHandler = (_hub, device, iq) => {
  const signedPreKey = readSignedPreKey(childOf(childOf(iq, 'rotate'), 'skey'));
  if (signedPreKey === null || device.keys === null) return errorOf(iq, 400, 'bad-request');
  device.keys.signedPreKey = signedPreKey;
  return resultOf(iq);
};

const signedPreKeyNode = ({ id, publicKey, signature }: PublicSignedPreKey): BinaryNode =>
  element('skey', {}, [
    element('id', {}, uintBytes(id, 3)),
    element('value', {}, publicKey),
    element('signature', {}, signature),
  ]);

const digest: IqHandler = (_hub, device, iq) => {
  const { keys } = device;
  if (keys === null) return errorOf(iq, 404, 'item-not-found');
  const hash = createHash('sha1').update(keys.identity).update(keys.signedPreKey.publicKey);
  for (const key of keys.preKeys.values()) hash.update(key);
  const ids = [...keys.preKeys.keys()].map((id) => element('id', {}, uintBytes(id, 3)));
  return resultOf(iq, [
    element('digest', {}, [
      element('registration', {}, uintBytes(keys.registrationId, 4)),
      element('type', {}, KEY_TYPE),
      element('identity', {}, keys.identity),
      signedPreKeyNode(keys.signedPreKey),
      element('list', {}, ids),
      element('hash', {}, hash.digest()),
    ]),
  ]);
};

const noKeys = element('error', { code: '404', text: 'item-not-found' });
const codeIn = ({ refuseKeys }: HubState['faults']): number => refuseKeys?.code ?? 406;
const textOf = (code: number): string => (code === 406 ? 'not-acceptable' : 'internal-server-error');

/** Whether the fault `refuseKeys` applies to this device, which may no longer exist. */
const areRefused = ({ faults, registry }: HubState, asker: Device, jid: string): boolean => {
  if (faults.refuseKeys === null || asker.id === 0) return false;
  const { device } = faults.refuseKeys;
  if (device === null) return true;
  const [asked, refused] = [jid, device].map((each) => [registry.find(each), parseJid(each)?.device] as const);
  return asked![0] !== null && asked![0] === refused![0] && asked![1] === refused![1];
};

/** A one-time prekey is handed out once; a bundle works without one. */
const bundleOf = (hub: HubState, asker: Device, jid: string): BinaryNode => {
  const code = codeIn(hub.faults);
  if (areRefused(hub, asker, jid))
    return element('user', { jid }, [element('error', { code: String(code), text: textOf(code) })]);
  const device = hub.registry.findDevice(jid);
  const keys = device?.keys ?? null;
  if (device === null || keys === null) {
    return element('user', { jid }, [noKeys]);
  }
  hub.registry.stateOf(device.account).watchers.add(asker.account);
  const content = [
    element('registration', {}, uintBytes(keys.registrationId, 4)),
    element('type', {}, KEY_TYPE),
    element('identity', {}, keys.identity),
    signedPreKeyNode(keys.signedPreKey),
  ];
  const [oneTime] = keys.preKeys;
  if (oneTime !== undefined) {
    keys.preKeys.delete(oneTime[0]);
    tellIfPreKeysLow(hub, device);
    content.push(element('key', {}, [element('id', {}, uintBytes(oneTime[0], 3)), element('value', {}, oneTime[1])]));
  }
  return element('user', { jid }, content);
};

/** Bundles of single devices, for keys a client lacks (zapo transport/node/builders/prekeys.ts, 2026-08). */
const fetchMissing: IqHandler = (hub, device, iq) => {
  const users = childrenOf(childOf(iq, 'key_fetch')).map((user) => {
    const jid = user.attrs.jid ?? '';
    const devices = childrenOf(user).flatMap(({ attrs: { id = '0' } }) => {
      const keys = bundleOf(hub, device, id === '0' ? jid : jid.replace('@', `:${id}@`));
      return childOf(keys, 'error') === undefined ? [element('device', { id }, [...childrenOf(keys)])] : [];
    });
    return element('user', { jid }, devices.length === 0 ? [noKeys] : devices);
  });
  return resultOf(iq, [element('list', {}, users)]);
};

const fetchBundles: IqHandler = (hub, device, iq) => {
  const jids = childrenOf(childOf(iq, 'key')).map(({ attrs }) => attrs.jid ?? '');
  const isWhole = hub.faults.refuseKeys?.as === 'batch';
  const code = codeIn(hub.faults);
  if (isWhole && jids.some((jid) => areRefused(hub, device, jid))) return errorOf(iq, code, textOf(code));
  const users = jids.map((jid) => bundleOf(hub, device, jid));
  return resultOf(iq, [element('list', {}, users)]);
};

export const prekeyIqs: IqTable = {
  'encrypt get count': count,
  'encrypt get digest': digest,
  'encrypt get key': fetchBundles,
  'encrypt get key_fetch': fetchMissing,
  'encrypt set rotate': rotate,
  'encrypt set': upload,
};
