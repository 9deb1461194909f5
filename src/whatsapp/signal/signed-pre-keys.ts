/** A device's signed prekeys: the present one, the former ones that senders may still use, and the next one, which the network may have taken. */
import type { AuthenticationCreds, SignalCreds } from '../engine/types.ts';

export type SignedPreKey = AuthenticationCreds['signedPreKey'];

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
