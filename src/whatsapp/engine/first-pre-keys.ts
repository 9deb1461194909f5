/** Publishes a device's first prekeys, before Baileys would. */
import {
  type BinaryNode,
  encodeBigEndian,
  INITIAL_PREKEY_COUNT,
  KEY_BUNDLE_TYPE,
  type KeyPair,
  S_WHATSAPP_NET,
  type WASocket,
  xmppPreKey,
  xmppSignedPreKey,
} from 'baileys';
import { generateKeyPair } from 'whatsapp-rust-bridge';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { SessionStore } from '../login/session-store.ts';
import { serializeCredentials } from '../signal/credentials.ts';
import { encodeKey } from '../signal/key-codec.ts';
import { runBefore } from './stanza-hooks.ts';

const bundleOf = ({ authState: { creds } }: WASocket, pairs: readonly (readonly [number, KeyPair])[]): BinaryNode => ({
  tag: 'iq',
  attrs: { xmlns: 'encrypt', type: 'set', to: S_WHATSAPP_NET },
  content: [
    { tag: 'registration', attrs: {}, content: encodeBigEndian(creds.registrationId) },
    { tag: 'type', attrs: {}, content: KEY_BUNDLE_TYPE },
    { tag: 'identity', attrs: {}, content: creds.signedIdentityKey.public },
    { tag: 'list', attrs: {}, content: pairs.map(([id, pair]) => xmppPreKey(pair, id)) },
    xmppSignedPreKey(creds.signedPreKey),
  ],
});

/** By the bridge, in half the time that key objects of Node take; its public key begins with a byte for its type. */
const makePreKey = (): KeyPair => {
  const { pubKey, privKey } = generateKeyPair();
  return { public: pubKey.subarray(1), private: privKey };
};

/** Makes the keys and stores them, with the credentials that count them, in one transaction. */
const makePreKeys = async (sock: WASocket, deviceId: number, store: SessionStore): Promise<BinaryNode> => {
  const { creds } = sock.authState;
  const first = creds.nextPreKeyId;
  const pairs = Array.from({ length: INITIAL_PREKEY_COUNT }, (_, index) => [first + index, makePreKey()] as const);
  const next = first + pairs.length;
  Object.assign(creds, { nextPreKeyId: next, firstUnuploadedPreKeyId: next });
  await store.commit(deviceId, {
    credentials: serializeCredentials(creds),
    keys: pairs.map(([id, pair]) => ({ type: 'pre-key', id: String(id), value: encodeKey('pre-key', pair) })),
  });
  return bundleOf(sock, pairs);
};

/**
 * Baileys does the same in two transactions, and leaves a timer of half a minute behind, which keeps a process that is
 * done from ending. It still does it where this fails.
 */
export const publishFirstPreKeys = (sock: WASocket, deviceId: number, store: SessionStore, log: Logger): void => {
  const publish = async (): Promise<void> => {
    if (sock.authState.creds.firstUnuploadedPreKeyId > 1) return;
    try {
      await sock.query(await makePreKeys(sock, deviceId, store));
    } catch (error) {
      log.warn({ deviceId, error: messageOf(error) }, 'the first prekeys could not be published');
    }
  };
  runBefore(sock.ws, { event: 'CB:success', first: publish, onFailure: () => {} });
};
