/**
 * The keys with which a session is set up, as the network hands them out, for the bridge. What is not of the types that it wants makes it throw where
 * nobody can catch it, which ends the process, and never answer.
 */
import type { SignalRepositoryWithLIDStore } from '../engine/types.ts';
import type { PreKeyBundleInput } from 'whatsapp-rust-bridge';
import { typedKey } from '../engine/crypto.ts';

type Given = Parameters<SignalRepositoryWithLIDStore['injectE2ESession']>[0]['session'];

const signatureBytes = 64;
const maxId = 2 ** 32 - 1;

const idOf = (value: unknown): number => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > maxId)
    throw new Error('key bundle: missing id');
  return value;
};

const keyOf = (value: unknown): Uint8Array => {
  if (!(value instanceof Uint8Array)) throw new Error('key bundle: missing key');
  return typedKey(value);
};

const signatureOf = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array && value.length === signatureBytes) return value;
  throw new Error('key bundle: missing signature');
};

/** Throws where anything of it is missing or of another size; whether the signature is right says the bridge. */
export const keyBundleOf = ({
  registrationId,
  identityKey,
  signedPreKey,
  preKey,
}: Partial<Given>): PreKeyBundleInput => ({
  registrationId: idOf(registrationId),
  identityKey: keyOf(identityKey),
  signedPreKey: {
    keyId: idOf(signedPreKey?.keyId),
    publicKey: keyOf(signedPreKey?.publicKey),
    signature: signatureOf(signedPreKey?.signature),
  },
  ...(preKey ? { preKey: { keyId: idOf(preKey.keyId), publicKey: keyOf(preKey.publicKey) } } : {}),
});
