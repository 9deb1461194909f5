/** The cryptography of linking behind a passkey: commitment, code to compare, and the encrypted pairing request. */
import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { bytesToCrockford, Curve, type KeyPair } from '../engine/crypto.ts';
import { proto } from '../engine/proto.ts';
import type { AuthenticationCreds } from '../engine/types.ts';

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

const derive = (secret: Uint8Array, salt: string, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, Buffer.from(salt), info, 32));

/** Proves that the answer comes from whom the phone has scanned: made of the secret that was scanned. */
export const handOffKey = (advSecret: string): Buffer =>
  derive(Buffer.from(advSecret, 'base64'), '', 'shortcake-passkey-handoff-v1');

export const handOffProof = (key: Uint8Array, payload: Uint8Array): Buffer =>
  createHmac('sha256', key).update(payload).digest();

/** Our side of one ceremony. */
export interface CompanionSecrets {
  readonly ephemeral: KeyPair;
  /** Committed to at first, told when the phone has shown its key: neither side can choose the code. */
  readonly nonce: Uint8Array;
  readonly ref: string;
}

export const newSecrets = (ref: string): CompanionSecrets => ({
  ephemeral: Curve.generateKeyPair(),
  nonce: randomBytes(32),
  ref,
});

/** As the registration of the socket says it: `Chrome`. */
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

/** Throws when it is not the phone's part of a ceremony. */
export const primaryIdentityOf = (bytes: Uint8Array): PrimaryIdentity => {
  const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(bytes);
  if (publicKey?.length !== 32 || nonce?.length !== 32)
    throw new Error("the phone's part of the ceremony is malformed");
  return { publicKey, nonce };
};

/** The code to compare: the phone shows it too when nobody is in between, as `ABCD-EFGH`. */
export const codeToCompare = ({ nonce }: CompanionSecrets, primary: PrimaryIdentity): string => {
  const digest = sha256(nonce, primary.publicKey);
  const code = bytesToCrockford(Buffer.from(primary.nonce.subarray(0, 5).map((byte, index) => byte ^ digest[index]!)));
  return `${code.slice(0, 4)}-${code.slice(4)}`;
};

/** Our keys, encrypted for the phone. */
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
