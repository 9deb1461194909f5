/** The private Signal state of one phone, and its form in a snapshot. */
import { proto } from 'baileys';
import {
  generateIdentityKeyPair,
  generatePreKey,
  generateRegistrationId,
  generateSignedPreKey,
  type KeyPair,
  type SignedPreKey,
} from 'whatsapp-rust-bridge';
import type { PublicSignedPreKey, PublishedKeys } from '../../base/types.ts';
import { base64 } from '../../base/nodes.ts';

const VERSION_BYTES = 1;
const MAC_BYTES = 8;
const SIGNATURE_BYTES = 64;

export interface Ciphertext {
  readonly type: 'pkmsg' | 'msg';
  readonly body: Uint8Array;
}

export const readMessage = (body: Uint8Array): proto.SignalMessage =>
  proto.SignalMessage.decode(body.subarray(VERSION_BYTES, -MAC_BYTES));

export const readSetup = (body: Uint8Array): proto.PreKeySignalMessage =>
  proto.PreKeySignalMessage.decode(body.subarray(VERSION_BYTES));

export const readGroupMessage = (body: Uint8Array): proto.SenderKeyMessage =>
  proto.SenderKeyMessage.decode(body.subarray(VERSION_BYTES, -SIGNATURE_BYTES));

export const sameBytes = (a: Uint8Array | null | undefined, b: Uint8Array | null | undefined): boolean =>
  a != null && b != null && Buffer.compare(a, b) === 0;

/** Public keys have the 0x05 type byte (33 bytes), as the bridge expects. */
export interface SignalState {
  readonly identity: KeyPair;
  readonly registrationId: number;
  readonly signedPreKey: SignedPreKey;
  readonly preKeys: Map<number, Uint8Array>;
  nextPreKeyId: number;
  /** The bridge's records by Signal address, `<LID digits>_1.<device>`. */
  readonly sessions: Map<string, Uint8Array>;
  /** The bridge's records by `<group>::<LID digits>_1::<device>`. */
  readonly senderKeys: Map<string, Uint8Array>;
  /** Addresses that hold this phone's sender key, by group. */
  readonly senderKeyHolders: Map<string, Set<string>>;
}

export interface SignalSnapshot {
  readonly identity: readonly [string, string];
  readonly registrationId: number;
  readonly signedPreKey: readonly [number, string, string, string];
  readonly preKeys: readonly (readonly [id: number, key: string])[];
  readonly nextPreKeyId: number;
  readonly sessions: readonly (readonly [string, string])[];
  readonly senderKeys: readonly (readonly [string, string])[];
  readonly senderKeyHolders: readonly (readonly [string, readonly string[]])[];
}

/** Published at a time; a bundle without one still opens a session. */
const preKeyStock = 30;
const preKeyLow = 12;
/** Limit on handed-out prekeys whose first message never came. */
const preKeyMemory = 5_000;

export const newSignalState = (): SignalState => {
  const identity = generateIdentityKeyPair();
  return {
    identity,
    registrationId: generateRegistrationId(),
    signedPreKey: generateSignedPreKey(identity, 1),
    preKeys: new Map(),
    nextPreKeyId: 1,
    sessions: new Map(),
    senderKeys: new Map(),
    senderKeyHolders: new Map(),
  };
};

export const rawKey = (key: Uint8Array): Uint8Array => (key.length === 33 ? key.subarray(1) : key);

export const typedKey = (key: Uint8Array): Uint8Array => {
  if (key.length === 33) return key;
  const typed = new Uint8Array(33);
  typed[0] = 5;
  typed.set(key, 1);
  return typed;
};

export const addPreKey = (state: SignalState): { readonly id: number; readonly publicKey: Uint8Array } => {
  const id = state.nextPreKeyId;
  // Ids are 3 bytes on the wire.
  state.nextPreKeyId = id >= 0xff_fff0 ? 1 : id + 1;
  const { keyPair } = generatePreKey(id);
  state.preKeys.set(id, keyPair.privKey);
  if (state.preKeys.size > preKeyMemory) state.preKeys.delete(state.preKeys.keys().next().value!);
  return { id, publicKey: rawKey(keyPair.pubKey) };
};

export const publicSignedPreKey = ({ signedPreKey }: SignalState): PublicSignedPreKey => ({
  id: signedPreKey.keyId,
  publicKey: rawKey(signedPreKey.keyPair.pubKey),
  signature: signedPreKey.signature,
});

export const publicKeys = (state: SignalState): PublishedKeys => {
  const preKeys = new Map<number, Uint8Array>();
  restock(state, preKeys);
  return {
    registrationId: state.registrationId,
    identity: rawKey(state.identity.pubKey),
    signedPreKey: publicSignedPreKey(state),
    preKeys,
  };
};

export const restock = (state: SignalState, published: Map<number, Uint8Array>): void => {
  if (published.size >= preKeyLow) return;
  while (published.size < preKeyStock) {
    const { id, publicKey } = addPreKey(state);
    published.set(id, publicKey);
  }
};

const bytes = (value: string): Uint8Array => Buffer.from(value, 'base64');

export const snapshotSignal = (state: SignalState): SignalSnapshot => ({
  identity: [base64(state.identity.pubKey), base64(state.identity.privKey)],
  registrationId: state.registrationId,
  signedPreKey: [
    state.signedPreKey.keyId,
    base64(state.signedPreKey.keyPair.pubKey),
    base64(state.signedPreKey.keyPair.privKey),
    base64(state.signedPreKey.signature),
  ],
  preKeys: [...state.preKeys].map(([id, key]) => [id, base64(key)] as const),
  nextPreKeyId: state.nextPreKeyId,
  sessions: [...state.sessions].map(([address, record]) => [address, base64(record)] as const),
  senderKeys: [...state.senderKeys].map(([name, record]) => [name, base64(record)] as const),
  senderKeyHolders: [...state.senderKeyHolders].map(([group, holders]) => [group, [...holders]] as const),
});

export const restoreSignal = (from: SignalSnapshot): SignalState => ({
  identity: { pubKey: bytes(from.identity[0]), privKey: bytes(from.identity[1]) },
  registrationId: from.registrationId,
  signedPreKey: {
    keyId: from.signedPreKey[0],
    keyPair: { pubKey: bytes(from.signedPreKey[1]), privKey: bytes(from.signedPreKey[2]) },
    signature: bytes(from.signedPreKey[3]),
  },
  preKeys: new Map(from.preKeys.map(([id, key]) => [id, bytes(key)])),
  nextPreKeyId: from.nextPreKeyId,
  sessions: new Map(from.sessions.map(([address, record]) => [address, bytes(record)])),
  senderKeys: new Map(from.senderKeys.map(([name, record]) => [name, bytes(record)])),
  senderKeyHolders: new Map(from.senderKeyHolders.map(([group, holders]) => [group, new Set(holders)])),
});
