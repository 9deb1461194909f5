/**
 * How a companion asks for a file that the media host has dropped, and how its phone answers: sealed under a key of the media, with
 * the message id as associated data (whatsmeow mediaretry.go, 2026-08).
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface Sealed {
  readonly ciphertext: Uint8Array;
  readonly iv: Uint8Array;
}

const tagLength = 16;

const keyOf = (mediaKey: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', mediaKey, new Uint8Array(0), 'WhatsApp Media Retry Notification', 32));

export const sealRetry = (plain: Uint8Array, mediaKey: Uint8Array, messageId: string): Sealed => {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(mediaKey), iv).setAAD(Buffer.from(messageId));
  return { ciphertext: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]), iv };
};

/** Throws when it was sealed under another key or for another message. */
export const openRetry = ({ ciphertext, iv }: Sealed, mediaKey: Uint8Array, messageId: string): Buffer => {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(mediaKey), iv, { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(messageId)).setAuthTag(ciphertext.subarray(-tagLength));
  return Buffer.concat([decipher.update(ciphertext.subarray(0, -tagLength)), decipher.final()]);
};
