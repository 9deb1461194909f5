/** Publishes a device's first prekeys, before Baileys would. */
import { Curve, type KeyPair } from '../engine/crypto.ts';
import { type BinaryNode, S_WHATSAPP_NET } from '../engine/nodes.ts';
import {
  encodeBigEndian,
  INITIAL_PREKEY_COUNT,
  KEY_BUNDLE_TYPE,
  xmppPreKey,
  xmppSignedPreKey,
} from '../engine/prekeys.ts';
import type { WASocket } from '../engine/types.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { SessionStore } from './session-store.ts';
import { serializeCredentials } from '../signal/credentials.ts';
import { encodeKey } from '../signal/key-codec.ts';

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

/** Makes the keys and stores them, with the credentials that count them, in one transaction. */
const makePreKeys = async (
  sock: WASocket,
  deviceId: number,
  store: Pick<SessionStore, 'commit'>,
): Promise<BinaryNode> => {
  const { creds } = sock.authState;
  const first = creds.nextPreKeyId;
  const pairs = Array.from(
    { length: INITIAL_PREKEY_COUNT },
    (_, index) => [first + index, Curve.generateKeyPair()] as const,
  );
  const next = first + pairs.length;
  Object.assign(creds, { nextPreKeyId: next, firstUnuploadedPreKeyId: next });
  await store.commit(deviceId, {
    credentials: serializeCredentials(creds),
    keys: pairs.map(([id, pair]) => ({ type: 'pre-key', id: String(id), value: encodeKey('pre-key', pair) })),
  });
  return bundleOf(sock, pairs);
};

/**
 * Baileys does the same in two transactions, and leaves a timer of half a minute behind, which keeps a process that is done from ending.
 * It still does it after a failure here.
 */
export const publishFirstPreKeys = async (
  sock: WASocket,
  deviceId: number,
  store: Pick<SessionStore, 'commit'>,
  log: Logger,
): Promise<void> => {
  try {
    await sock.query(await makePreKeys(sock, deviceId, store));
  } catch (error) {
    log.warn({ deviceId, error: messageOf(error) }, 'failed to publish the first prekeys');
  }
};
