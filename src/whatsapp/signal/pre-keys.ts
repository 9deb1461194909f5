/** One-time prekeys of the device. */
import { xmppPreKey } from '../library/protocol.ts';
import { Curve } from '../library/crypto.ts';
import type { BinaryNode } from '../library/nodes.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { SessionStore } from '../state/session-store.ts';
import { serializeCredentials } from './credentials.ts';
import { encodeKey } from './key-codec.ts';

export interface PreKeyParts {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: Pick<SessionStore, 'commit'>;
}

/** Stores new prekeys and the credentials that count them in one transaction. Returns the public halves as in stanzas. */
export const makePreKeys = async ({ deviceId, creds, store }: PreKeyParts, count: number): Promise<BinaryNode[]> => {
  const first = creds.nextPreKeyId;
  const pairs = Array.from({ length: count }, (_, index) => [first + index, Curve.generateKeyPair()] as const);
  const next = first + count;
  Object.assign(creds, { nextPreKeyId: next, firstUnuploadedPreKeyId: next });
  await store.commit(deviceId, {
    credentials: serializeCredentials(creds),
    keys: pairs.map(([id, pair]) => ({ type: 'pre-key', id: String(id), value: encodeKey('pre-key', pair) })),
  });
  return pairs.map(([id, pair]) => xmppPreKey(pair, id));
};
