/**
 * How a companion asks for a file that the media host has dropped, and how its phone answers: sealed under a key of the media, with
 * the message id as associated data (whatsmeow mediaretry.go, 2026-08).
 */
import { hkdfSync, randomBytes } from 'node:crypto';
import { aesDecryptGCM, aesEncryptGCM } from 'baileys';

export interface Sealed {
  readonly ciphertext: Uint8Array;
  readonly iv: Uint8Array;
}

const keyOf = (mediaKey: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', mediaKey, new Uint8Array(0), 'WhatsApp Media Retry Notification', 32));

export const sealRetry = (plain: Uint8Array, mediaKey: Uint8Array, messageId: string): Sealed => {
  const iv = randomBytes(12);
  return { ciphertext: aesEncryptGCM(plain, keyOf(mediaKey), iv, Buffer.from(messageId)), iv };
};

/** Throws when it was sealed under another key or for another message. */
export const openRetry = ({ ciphertext, iv }: Sealed, mediaKey: Uint8Array, messageId: string): Buffer =>
  aesDecryptGCM(ciphertext, keyOf(mediaKey), iv, Buffer.from(messageId));
