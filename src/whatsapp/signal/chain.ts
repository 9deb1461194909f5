/** One step along a chain of the Double Ratchet, and a message under the keys that it gives. */
import { createCipheriv, createDecipheriv, createSecretKey, timingSafeEqual } from 'node:crypto';
import { hashBytes, Hmac } from './hmac.ts';

export const chainKeyBytes = 32;
export const macBytes = 8;
/** With its type byte. */
export const publicKeyBytes = 33;

// The keys of a message: cipher key, MAC key, IV.
const macKeyAt = 32;
const ivAt = 64;
const messageKeysBytes = 80;

const algorithm = 'aes-256-cbc';
const blockBytes = 16;
const info = new Uint8Array(Buffer.from('WhisperMessageKeys'));
const [messageSeed, chainSeed] = [1, 2];

const chain = new Hmac();
const extract = new Hmac().setKey(new Uint8Array(hashBytes));
const expandFirst = new Hmac();
const expand = new Hmac();
const authentication = new Hmac();
const secret = new Uint8Array(hashBytes);

/** Of the message under way: one after the other, in one go each. */
const messageKeys = new Uint8Array(messageKeysBytes);
/** The chain's key behind it. */
export const nextChainKey = new Uint8Array(chainKeyBytes);

/** HKDF (RFC 5869) without a salt. */
const expandMessageKeys = (): void => {
  extract.begin().add(secret).end(secret);
  expandFirst.setKey(secret).begin().add(info).addByte(1).end(messageKeys);
  expand.setKey(secret).begin().add(messageKeys, 0, macKeyAt).add(info).addByte(2).end(messageKeys, macKeyAt);
  expand
    .begin()
    .add(messageKeys, macKeyAt, ivAt)
    .add(info)
    .addByte(3)
    .end(messageKeys, ivAt, messageKeysBytes - ivAt);
};

/** `nextChainKey` after so many messages. */
export const skip = (bytes: Uint8Array, chainKeyAt: number, count: number): void => {
  chain.setKey(bytes, chainKeyAt);
  for (let left = count; left > 0; left -= 1) {
    chain.begin().addByte(chainSeed).end(nextChainKey);
    if (left > 1) chain.setKey(nextChainKey);
  }
};

/** Derives the keys of the message that comes next on the chain whose key is there, and `nextChainKey`. */
export const step = (bytes: Uint8Array, chainKeyAt: number): void => {
  chain.setKey(bytes, chainKeyAt).begin().addByte(messageSeed).end(secret);
  chain.begin().addByte(chainSeed).end(nextChainKey);
  expandMessageKeys();
};

const cipherKey = messageKeys.subarray(0, macKeyAt);
const iv = messageKeys.subarray(ivAt);

export const seal = (plaintext: Uint8Array): Uint8Array => {
  const cipher = createCipheriv(algorithm, createSecretKey(cipherKey), iv);
  return Buffer.concat([cipher.update(plaintext), cipher.final()]);
};

/** How many bytes at the end are the padding (PKCS #7); 0 where they are none. */
const paddingOf = (padded: Uint8Array): number => {
  const length = padded.at(-1) ?? 0;
  if (length > blockBytes) return 0;
  for (let byte = padded.length - length; byte < padded.length; byte += 1) if (padded[byte] !== length) return 0;
  return length;
};

/** Of an authentic message. Null where the padding is not one: taken off here, which spares a call and a copy. */
export const open = (ciphertext: Uint8Array): Uint8Array | null => {
  if (ciphertext.length % blockBytes !== 0) return null;
  const decipher = createDecipheriv(algorithm, createSecretKey(cipherKey), iv).setAutoPadding(false);
  const padded = decipher.update(ciphertext);
  const padding = paddingOf(padded);
  return padding === 0 ? null : padded.subarray(0, padded.length - padding);
};

/** Where the identity keys are of whom a message is from and whom it is for. */
export interface Identities {
  readonly bytes: Uint8Array;
  readonly senderAt: number;
  readonly receiverAt: number;
}

const writeMac = (out: Uint8Array, at: number, { bytes, senderAt, receiverAt }: Identities, signed: Uint8Array): void =>
  authentication
    .setKey(messageKeys, macKeyAt)
    .begin()
    .add(bytes, senderAt, senderAt + publicKeyBytes)
    .add(bytes, receiverAt, receiverAt + publicKeyBytes)
    .add(signed)
    .end(out, at, macBytes);

/** Fills the last bytes of the message with its MAC. */
export const authenticate = (message: Uint8Array, identities: Identities): void => {
  const length = message.length - macBytes;
  writeMac(message, length, identities, message.subarray(0, length));
};

const found = new Uint8Array(macBytes);

/** Whether the last bytes of the message are its MAC. */
export const isAuthentic = (message: Uint8Array, identities: Identities): boolean => {
  writeMac(found, 0, identities, message.subarray(0, -macBytes));
  return timingSafeEqual(found, message.subarray(-macBytes));
};
