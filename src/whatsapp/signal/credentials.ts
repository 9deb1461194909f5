/** The credentials of a device, without its keys: how they begin and how they are stored. */
import { initAuthCreds } from '../engine/credentials.ts';
import type { AuthenticationCreds } from '../engine/types.ts';
import { json } from './key-codec.ts';

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
