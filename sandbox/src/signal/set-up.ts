/** How a session begins: the key agreement of Signal (X3DH), from either side. */
import { calculateAgreement, generateKeyPair, verifySignature } from 'whatsapp-rust-bridge';
import type { KeyPair, PreKeyBundleInput } from 'whatsapp-rust-bridge';
import { keyAt, type SetupMessage } from './message.ts';
import { KEY_BYTES, newChain, type SessionState } from './ratchet.ts';
import { hkdf } from './sha256.ts';

/** Who opens a session, or has one opened. */
export interface Owner {
  readonly identity: KeyPair;
  readonly registrationId: number;
}

const salt = new Uint8Array(KEY_BYTES);
const info = Uint8Array.from(Buffer.from('WhisperText'));

/** The first root key, and the first chain's key. */
const firstKeys = (agreements: readonly Uint8Array[]): readonly [Uint8Array, Uint8Array] => {
  const secrets = new Uint8Array(2 * KEY_BYTES);
  hkdf(secrets, salt, Buffer.concat([Buffer.alloc(KEY_BYTES, 0xff), ...agreements]), info);
  return [secrets.slice(0, KEY_BYTES), secrets.slice(KEY_BYTES)];
};

/** With somebody whose keys were published. */
export const beginSession = (owner: Owner, bundle: PreKeyBundleInput): SessionState => {
  const { identityKey, signedPreKey, preKey } = bundle;
  if (!verifySignature(identityKey, signedPreKey.publicKey, signedPreKey.signature))
    throw new Error('a prekey with a wrong signature');
  const base = generateKeyPair();
  const [rootKey, key] = firstKeys([
    calculateAgreement(signedPreKey.publicKey, owner.identity.privKey),
    calculateAgreement(identityKey, base.privKey),
    calculateAgreement(signedPreKey.publicKey, base.privKey),
    ...(preKey === undefined ? [] : [calculateAgreement(preKey.publicKey, base.privKey)]),
  ]);
  const ratchet = generateKeyPair();
  const sent = newChain(rootKey, signedPreKey.publicKey, ratchet.privKey);
  return {
    localIdentity: owner.identity.pubKey,
    remoteIdentity: Uint8Array.from(identityKey),
    localRegistrationId: owner.registrationId,
    remoteRegistrationId: bundle.registrationId,
    baseKey: base.pubKey,
    rootKey: sent.rootKey,
    previousCounter: 0,
    sending: { ratchet, key: sent.key, next: 0 },
    receiving: [{ ratchetKey: Uint8Array.from(signedPreKey.publicKey), key, next: 0, skipped: null }],
    pending: { preKeyId: preKey?.keyId ?? null, signedPreKeyId: signedPreKey.keyId, baseKey: base.pubKey },
  };
};

/** With whoever wrote this; `preKey` is the private half of the one that the message names, if any. */
export const acceptSession = (
  owner: Owner,
  setup: SetupMessage,
  signedPreKey: KeyPair,
  preKey: Uint8Array | null,
): SessionState => {
  const identity = keyAt(setup.bytes, setup.identityAt);
  const baseKey = keyAt(setup.bytes, setup.baseKeyAt);
  const [rootKey, key] = firstKeys([
    calculateAgreement(identity, signedPreKey.privKey),
    calculateAgreement(baseKey, owner.identity.privKey),
    calculateAgreement(baseKey, signedPreKey.privKey),
    ...(preKey === null ? [] : [calculateAgreement(baseKey, preKey)]),
  ]);
  return {
    localIdentity: owner.identity.pubKey,
    remoteIdentity: identity,
    localRegistrationId: owner.registrationId,
    remoteRegistrationId: setup.registrationId,
    baseKey,
    rootKey,
    previousCounter: 0,
    sending: { ratchet: signedPreKey, key, next: 0 },
    receiving: [],
    pending: null,
  };
};
