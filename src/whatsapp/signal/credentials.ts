/** A device's credentials as bytes, with the former signed prekeys beside them. */
import { Curve } from '../library/crypto.ts';
import type { BinaryNode } from '../library/nodes.ts';
import type { AuthenticationCreds, SignalCreds } from '../library/types.ts';
import { initAuthCreds, xmppPreKey } from '../library/protocol.ts';
import type { SessionStore } from '../state/session-store.ts';
import { json, encodeKey } from './key-store.ts';

type SignedPreKey = AuthenticationCreds['signedPreKey'];

export interface KeptSignedPreKeys {
  /** Created, but not known to be published. */
  readonly next: SignedPreKey | null;
  readonly former: readonly SignedPreKey[];
  readonly since: number;
}

/** Next to the facts of `account.ts`, in the credentials. */
const member = 'handsetSignedPreKeys';

const dataOf = (creds: SignalCreds & Partial<Pick<AuthenticationCreds, 'additionalData'>>) => creds.additionalData;

export const keptSignedPreKeys = (creds: SignalCreds): KeptSignedPreKeys | null => {
  const kept: KeptSignedPreKeys | undefined = dataOf(creds)?.[member];
  return kept ?? null;
};

export const keepSignedPreKeys = (creds: AuthenticationCreds, kept: KeptSignedPreKeys): void => {
  creds.additionalData = { ...creds.additionalData, [member]: kept };
};

export const signedPreKeyWith = (creds: SignalCreds, id: number): SignedPreKey | null => {
  if (creds.signedPreKey.keyId === id) return creds.signedPreKey;
  const { next = null, former = [] } = keptSignedPreKeys(creds) ?? {};
  return [...(next === null ? [] : [next]), ...former].find(({ keyId }) => keyId === id) ?? null;
};

export const newCredentials = (): AuthenticationCreds => initAuthCreds();

export const serializeCredentials = (credentials: AuthenticationCreds): Uint8Array => {
  const { account } = credentials;
  if (!account) return json.encode(credentials);
  // A protobuf object would serialize its bytes as text; a plain one keeps them.
  const { details, accountSignatureKey, accountSignature, deviceSignature } = account;
  return json.encode({
    ...credentials,
    account: { details, accountSignatureKey, accountSignature, deviceSignature },
  });
};

/** Throws SyntaxError or TypeError unless written by `serializeCredentials`. */
export const parseCredentials = (bytes: Uint8Array): AuthenticationCreds => {
  const value = json.decode(bytes);
  if (typeof value !== 'object' || value === null || !('noiseKey' in value) || !('signedIdentityKey' in value)) {
    throw new TypeError("not a device's credentials");
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is read is what `serializeCredentials` wrote
  return value as AuthenticationCreds;
};

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
