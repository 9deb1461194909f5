/** The credentials of a device as bytes, with the signed prekeys that Baileys has no place for. */
import type { AuthenticationCreds, SignalCreds } from '../engine/types.ts';
import { initAuthCreds } from '../engine/baileys.ts';
import { json } from './key-codec.ts';

type SignedPreKey = AuthenticationCreds['signedPreKey'];

export interface KeptSignedPreKeys {
  /** Made, but not known to be published. */
  readonly next: SignedPreKey | null;
  /** The newest first. */
  readonly former: readonly SignedPreKey[];
  /** When the present one was published, or first seen here, ms. */
  readonly since: number;
}

/** Beside the facts of `account.ts`, in the credentials. */
const member = 'handsetSignedPreKeys';

const dataOf = (creds: SignalCreds & Partial<Pick<AuthenticationCreds, 'additionalData'>>) => creds.additionalData;

/** Null for a device that has never rotated them. */
export const keptSignedPreKeys = (creds: SignalCreds): KeptSignedPreKeys | null => {
  const kept: KeptSignedPreKeys | undefined = dataOf(creds)?.[member];
  return kept ?? null;
};

/** Written with the credentials. */
export const keepSignedPreKeys = (creds: AuthenticationCreds, kept: KeptSignedPreKeys): void => {
  creds.additionalData = { ...creds.additionalData, [member]: kept };
};

/** Null for an id that no key has, or none that is kept. */
export const signedPreKeyWith = (creds: SignalCreds, id: number): SignedPreKey | null => {
  if (creds.signedPreKey.keyId === id) return creds.signedPreKey;
  const { next = null, former = [] } = keptSignedPreKeys(creds) ?? {};
  return [...(next === null ? [] : [next]), ...former].find(({ keyId }) => keyId === id) ?? null;
};

export const newCredentials = (): AuthenticationCreds => initAuthCreds();

export const serializeCredentials = (credentials: AuthenticationCreds): Uint8Array => {
  const { account } = credentials;
  if (!account) return json.encode(credentials);
  // A protobuf object turns its bytes into text by itself; a plain one keeps them.
  const { details, accountSignatureKey, accountSignature, deviceSignature } = account;
  return json.encode({
    ...credentials,
    account: { details, accountSignatureKey, accountSignature, deviceSignature },
  });
};

/** Throws SyntaxError or TypeError on anything but what `serializeCredentials` wrote. */
export const parseCredentials = (bytes: Uint8Array): AuthenticationCreds => {
  const value = json.decode(bytes);
  if (typeof value !== 'object' || value === null || !('noiseKey' in value) || !('signedIdentityKey' in value)) {
    throw new TypeError("not a device's credentials");
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is read is what `serializeCredentials` wrote
  return value as AuthenticationCreds;
};
