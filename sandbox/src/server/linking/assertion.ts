/** Checks a WebAuthn assertion: the challenge, the network's origin, and the account's passkey. */
import { createHash, type KeyObject, verify } from 'node:crypto';

export const PASSKEY_RP_ID = 'whatsapp.com';
export const PASSKEY_ORIGIN = 'https://web.whatsapp.com';

export interface RegisteredPasskey {
  readonly credentialId: Uint8Array;
  readonly publicKey: KeyObject;
}

interface ClientData {
  readonly type?: unknown;
  readonly challenge?: unknown;
  readonly origin?: unknown;
}

interface Assertion {
  readonly rawId?: unknown;
  readonly response?: {
    readonly clientDataJSON?: unknown;
    readonly authenticatorData?: unknown;
    readonly signature?: unknown;
  };
}

const bytesOf = (value: unknown): Buffer | null =>
  typeof value === 'string' && /^[\w-]+$/.test(value) ? Buffer.from(value, 'base64url') : null;

const parse = (bytes: Uint8Array): object | null => {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
};

const USER_PRESENT_AND_VERIFIED = 0x05;

const clientDataProblem = (data: ClientData | null, challenge: Uint8Array): string | null => {
  if (data === null) return 'client-data-malformed';
  if (data.type !== 'webauthn.get') return 'client-data-type';
  const given = bytesOf(data.challenge);
  if (given === null || !given.equals(challenge)) return 'challenge-mismatch';
  return data.origin === PASSKEY_ORIGIN ? null : 'origin-mismatch';
};

const authenticatorProblem = (data: Uint8Array): string | null => {
  const rpIdHash = createHash('sha256').update(PASSKEY_RP_ID).digest();
  if (data.length < 37 || !rpIdHash.equals(data.subarray(0, 32))) return 'rp-id-mismatch';
  const verified = (data[32]! & USER_PRESENT_AND_VERIFIED) === USER_PRESENT_AND_VERIFIED;
  return verified ? null : 'user-not-verified';
};

export const assertionProblem = (
  passkey: RegisteredPasskey,
  challenge: Uint8Array,
  credentialId: Uint8Array,
  json: Uint8Array,
): string | null => {
  const assertion: Assertion | null = parse(json);
  const { response } = assertion ?? {};
  const clientData = bytesOf(response?.clientDataJSON);
  const authenticatorData = bytesOf(response?.authenticatorData);
  const signature = bytesOf(response?.signature);
  if (clientData === null || authenticatorData === null || signature === null) return 'assertion-malformed';
  const id = Buffer.from(passkey.credentialId);
  if (!id.equals(credentialId) || bytesOf(assertion?.rawId)?.equals(id) !== true) return 'credential-unknown';
  const problem = clientDataProblem(parse(clientData), challenge) ?? authenticatorProblem(authenticatorData);
  if (problem !== null) return problem;
  const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
  return verify('sha256', signed, passkey.publicKey, signature) ? null : 'signature-invalid';
};
