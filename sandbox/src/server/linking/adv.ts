/** Device identity (ADV): how a phone vouches for a companion, and the end of a companion. */
import type { Device, KeyPair } from '../../base/types.ts';
import { conflict, type HubState } from '../state/state.ts';
import { announceDevice } from '../messages/notifications.ts';
import { createHmac, randomInt } from 'node:crypto';
import { proto } from 'baileys';
import { calculateSignature, verifySignature } from 'whatsapp-rust-bridge';

export const unlink = (hub: HubState, device: Device): void => {
  if (device.id === 0) throw new Error('a phone cannot be unlinked from its own account');
  const { devices } = device.account;
  if (devices.get(device.id) !== device) throw new Error('that device is not linked');
  const { client } = device;
  devices.delete(device.id);
  hub.sessions.delete(device);
  hub.toldPreKeysLow.delete(device);
  for (const watchers of hub.presenceWatchers.values()) watchers.delete(device);
  device.client = null;
  device.queue.clear();
  device.keys = null;
  announceDevice(hub, device, 'remove');
  client?.close(conflict(hub, 'device_removed', { code: '401' }));
};

const ACCOUNT_SIGNATURE = Buffer.from([6, 0]);
const DEVICE_SIGNATURE = Buffer.from([6, 1]);
const KEY_INDEX_SIGNATURE = Buffer.from([6, 2]);

/** Adds the type byte that Signal's curve functions expect. */
export const typedKey = (publicKey: Uint8Array): Uint8Array => Buffer.concat([Buffer.from([5]), publicKey]);

export interface Vouched {
  readonly details: Uint8Array;
  /** The signed identity under the companion's adv secret, as carried by `pair-success`. */
  readonly sealed: Uint8Array;
}

export const vouchFor = (
  phone: KeyPair,
  companionIdentity: Uint8Array,
  advSecret: Uint8Array,
  keyIndex: number,
  timestamp: number,
): Vouched => {
  const details = proto.ADVDeviceIdentity.encode({ rawId: randomInt(1, 2 ** 31), timestamp, keyIndex }).finish();
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: phone.public,
    accountSignature: calculateSignature(phone.private, Buffer.concat([ACCOUNT_SIGNATURE, details, companionIdentity])),
  }).finish();
  const hmac = createHmac('sha256', advSecret).update(signed).digest();
  return { details, sealed: proto.ADVSignedDeviceIdentityHMAC.encode({ details: signed, hmac }).finish() };
};

export const isSignedByCompanion = (
  answer: Uint8Array,
  details: Uint8Array,
  companionIdentity: Uint8Array,
  phoneIdentity: Uint8Array,
): boolean => {
  const { deviceSignature } = proto.ADVSignedDeviceIdentity.decode(answer);
  if (!deviceSignature) return false;
  const message = Buffer.concat([DEVICE_SIGNATURE, details, companionIdentity, phoneIdentity]);
  return verifySignature(typedKey(companionIdentity), message, deviceSignature);
};

/** The signed list of valid companions, carried by device lists. */
export const signKeyIndexList = (phone: KeyPair, validIndexes: number[], timestamp: number): Uint8Array => {
  const details = proto.ADVKeyIndexList.encode({
    rawId: randomInt(1, 2 ** 31),
    timestamp,
    currentIndex: Math.max(0, ...validIndexes),
    validIndexes,
  }).finish();
  const accountSignature = calculateSignature(phone.private, Buffer.concat([KEY_INDEX_SIGNATURE, details]));
  const list = { details, accountSignature, accountSignatureKey: phone.public };
  // A copy: the encoder returns a view of a pool that would be kept alive with the account.
  return Uint8Array.from(proto.ADVSignedKeyIndexList.encode(list).finish());
};
