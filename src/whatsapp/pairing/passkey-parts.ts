/** Parts of linking with a passkey: WebAuthn options and credential, commitment, code to compare, encrypted request. */
import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { bytesToCrockford, Curve, type KeyPair } from '../library/crypto.ts';
import { proto } from '../library/proto.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import type { BinaryNode } from '../library/nodes.ts';
import type { PasskeyCredential, PasskeyOptions } from '../../domain/passkey.ts';
import { invalidRequest } from '../../errors.ts';
import { ask, leaf, textOf } from './stanzas.ts';

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

const derive = (secret: Uint8Array, salt: string, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, Buffer.from(salt), info, 32));

/** Proves that the answer is from the scanned device; derived from the scanned secret. */
export const handOffKey = (advSecret: string): Buffer =>
  derive(Buffer.from(advSecret, 'base64'), '', 'shortcake-passkey-handoff-v1');

export const handOffProof = (key: Uint8Array, payload: Uint8Array): Buffer =>
  createHmac('sha256', key).update(payload).digest();

export interface CompanionSecrets {
  readonly ephemeral: KeyPair;
  /** Committed to first, revealed after the phone's key, so that neither side can choose the code. */
  readonly nonce: Uint8Array;
  readonly ref: string;
}

export const newSecrets = (ref: string): CompanionSecrets => ({
  ephemeral: Curve.generateKeyPair(),
  nonce: randomBytes(32),
  ref,
});

const deviceType = proto.DeviceProps.PlatformType.CHROME;

export const prologuePayload = ({ ephemeral, nonce, ref }: CompanionSecrets): Uint8Array => {
  const identity = proto.CompanionEphemeralIdentity.encode({ publicKey: ephemeral.public, deviceType, ref }).finish();
  return proto.ProloguePayload.encode({
    companionEphemeralIdentity: identity,
    commitment: { hash: sha256(identity, nonce) },
  }).finish();
};

export interface PrimaryIdentity {
  readonly publicKey: Uint8Array;
  readonly nonce: Uint8Array;
}

export const primaryIdentityOf = (bytes: Uint8Array): PrimaryIdentity => {
  const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(bytes);
  if (publicKey?.length !== 32 || nonce?.length !== 32)
    throw new Error("the phone's part of the ceremony is malformed");
  return { publicKey, nonce };
};

/** `ABCD-EFGH`; the phone shows the same unless there is a man in the middle. */
export const codeToCompare = ({ nonce }: CompanionSecrets, primary: PrimaryIdentity): string => {
  const digest = sha256(nonce, primary.publicKey);
  const code = bytesToCrockford(Buffer.from(primary.nonce.subarray(0, 5).map((byte, index) => byte ^ digest[index]!)));
  return `${code.slice(0, 4)}-${code.slice(4)}`;
};

export const sealedPairingRequest = (
  { ephemeral, ref }: CompanionSecrets,
  primary: PrimaryIdentity,
  creds: AuthenticationCreds,
): Uint8Array => {
  const shared = Curve.sharedKey(ephemeral.private, primary.publicKey);
  const salt = `Companion Pairing ${deviceType} with ref ${ref}`;
  const key = derive(shared, salt, 'Pairing Information Encryption Key');
  const request = proto.PairingRequest.encode({
    companionPublicKey: creds.noiseKey.public,
    companionIdentityKey: creds.signedIdentityKey.public,
    advSecret: Buffer.from(creds.advSecretKey, 'base64'),
  }).finish();
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const encryptedPayload = Buffer.concat([cipher.update(request), cipher.final(), cipher.getAuthTag()]);
  return proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish();
};

const tag = 'passkey_request_options';
const longestMs = 600_000;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOptions = (value: unknown): value is PasskeyOptions =>
  isObject(value) && typeof value.challenge === 'string' && typeof value.rpId === 'string';

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const optionsIn = (node: BinaryNode): PasskeyOptions | null => {
  const value = parse(textOf(node, tag) ?? '');
  return isOptions(value) ? value : null;
};

/** From the notification, else queried. Throws if the network gives none. */
export const passkeyOptions = async (sock: Socket, notification: BinaryNode | null): Promise<PasskeyOptions> => {
  const told = notification === null ? null : optionsIn(notification);
  const options = told ?? optionsIn(await ask(sock, 'get', leaf(tag)));
  if (options === null) throw new Error('the network asks for a passkey in a form that is not known here');
  return options;
};

export const lifetimeOf = ({ timeout }: PasskeyOptions): number =>
  typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, longestMs) : longestMs;

const base64url = /^[\w-]+={0,2}$/;

const bytesIn = (text: string): Buffer | null => (base64url.test(text) ? Buffer.from(text, 'base64url') : null);

/** Throws InvalidRequest, naming the member, for what the network would refuse. */
export const checkCredential = ({ rawId, response }: PasskeyCredential, options: PasskeyOptions): void => {
  const { clientDataJSON, authenticatorData, signature } = response;
  for (const [name, text] of Object.entries({ rawId, clientDataJSON, authenticatorData, signature })) {
    if (bytesIn(text) === null) throw invalidRequest(`credential: ${name} must be base64url`);
  }
  const data = parse(Buffer.from(clientDataJSON, 'base64url').toString());
  if (!isObject(data) || data.type !== 'webauthn.get') {
    throw invalidRequest('credential: clientDataJSON must be of the type webauthn.get');
  }
  const given = typeof data.challenge === 'string' ? bytesIn(data.challenge) : null;
  const wanted = Buffer.from(options.challenge, 'base64url');
  if (given === null || !given.equals(wanted)) {
    throw invalidRequest('credential: it answers another challenge; get the passkey options again');
  }
};

/** The members the network reads, in its own client's order. */
export const assertionJson = ({ id, rawId, type, response }: PasskeyCredential): string => {
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return JSON.stringify({ id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } });
};
