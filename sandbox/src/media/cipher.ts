/** Media encryption: HKDF keys, AES-256-CBC, a truncated HMAC, and hashes of plaintext and ciphertext. */
import { hkdfSync, randomBytes, createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { aesDecryptGCM, aesEncryptGCM } from 'baileys';
import { sameBytes } from '../base/nodes.ts';
import { release } from './release.ts';

/**
 * Request for a file the media host has dropped, and the phone's answer: sealed under a key derived from the media key, with
 * the message id as associated data (whatsmeow mediaretry.go, 2026-08).
 */
interface Sealed {
  readonly ciphertext: Uint8Array;
  readonly iv: Uint8Array;
}

const keyOf = (mediaKey: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', mediaKey, new Uint8Array(0), 'WhatsApp Media Retry Notification', 32));

export const sealRetry = (plain: Uint8Array, mediaKey: Uint8Array, messageId: string): Sealed => {
  const iv = randomBytes(12);
  return { ciphertext: aesEncryptGCM(plain, keyOf(mediaKey), iv, Buffer.from(messageId)), iv };
};

/** Throws if it was sealed under another key or for another message. */
export const openRetry = ({ ciphertext, iv }: Sealed, mediaKey: Uint8Array, messageId: string): Buffer =>
  aesDecryptGCM(ciphertext, keyOf(mediaKey), iv, Buffer.from(messageId));

export type MediaKind = 'image' | 'video' | 'audio' | 'document' | 'sticker';

export type FileKind = MediaKind | 'md-msg-hist' | 'md-app-state';

const keyInfo: Readonly<Record<FileKind, string>> = {
  image: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  sticker: 'WhatsApp Image Keys',
  'md-msg-hist': 'WhatsApp History Keys',
  'md-app-state': 'WhatsApp App State Keys',
};

const macLength = 10;

export interface EncryptedMedia {
  readonly body: Buffer;
  readonly mediaKey: Buffer;
  readonly fileSha256: Buffer;
  readonly fileEncSha256: Buffer;
  readonly fileLength: number;
}

export interface MediaClaims {
  readonly mediaKey: Uint8Array;
  readonly fileSha256: Uint8Array;
}

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

const keysOf = (mediaKey: Uint8Array, kind: FileKind): { iv: Buffer; cipherKey: Buffer; macKey: Buffer } => {
  const expanded = Buffer.from(hkdfSync('sha256', mediaKey, new Uint8Array(0), keyInfo[kind], 112));
  return { iv: expanded.subarray(0, 16), cipherKey: expanded.subarray(16, 48), macKey: expanded.subarray(48, 80) };
};

const macOf = (macKey: Uint8Array, iv: Uint8Array, ciphertext: Uint8Array): Buffer =>
  createHmac('sha256', macKey).update(iv).update(ciphertext).digest().subarray(0, macLength);

export const encryptMedia = (plain: Uint8Array, kind: FileKind): EncryptedMedia => {
  const mediaKey = randomBytes(32);
  const { iv, cipherKey, macKey } = keysOf(mediaKey, kind);
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  const body = Buffer.concat([ciphertext, macOf(macKey, iv, ciphertext)]);
  return { body, mediaKey, fileSha256: sha256(plain), fileEncSha256: sha256(body), fileLength: plain.length };
};

/**
 * Decrypts a file of the media host, of `size` bytes, piece by piece, so that a large one holds nobody up. Pieces must not be used afterwards. Throws, naming the
 * mismatch, unless the MAC and the file's hash are right: only then what `take` was given is the file. Returns its length.
 */
export const decryptMedia = async (
  body: AsyncIterable<Buffer>,
  size: number,
  kind: MediaKind,
  { mediaKey, fileSha256 }: MediaClaims,
  take: (piece: Buffer) => void = release,
): Promise<number> => {
  const { iv, cipherKey, macKey } = keysOf(mediaKey, kind);
  const [hmac, hash] = [createHmac('sha256', macKey).update(iv), createHash('sha256')];
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  const mac: Buffer[] = [];
  let left = size - macLength;
  let bytes = 0;
  const keep = (piece: Buffer): void => {
    bytes += piece.length;
    hash.update(piece);
    take(piece);
  };
  for await (const piece of body) {
    const ciphertext = piece.subarray(0, Math.max(left, 0));
    mac.push(Buffer.from(piece.subarray(ciphertext.length)));
    left -= ciphertext.length;
    hmac.update(ciphertext);
    keep(decipher.update(ciphertext));
  }
  if (!sameBytes(hmac.digest().subarray(0, macLength), Buffer.concat(mac))) throw new Error('the MAC is wrong');
  keep(decipher.final());
  if (!sameBytes(hash.digest(), fileSha256)) throw new Error('fileSha256 does not match the decrypted file');
  return bytes;
};

export const uploadToken = (fileEncSha256: Uint8Array): string => Buffer.from(fileEncSha256).toString('base64url');
