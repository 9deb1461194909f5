/** Decrypts a media file as it streams in, and checks at the end that it is whole and the one that was sent. */
import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { MediaKeys } from './keys.ts';

/** The file ends in the first bytes of its HMAC. */
const macLength = 10;

export interface Expected {
  readonly sha256: Uint8Array | null;
  readonly encryptedSha256: Uint8Array | null;
}

const mustEqual = (actual: Uint8Array, expected: Uint8Array | null, what: string): void => {
  if (expected === null) return;
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) {
    throw new Error(`The media file has the wrong ${what}`);
  }
};

/** Throws after the last chunk when the file is not what its message says. */
export async function* decipherMedia(
  encrypted: AsyncIterable<Uint8Array>,
  keys: MediaKeys,
  expected: Expected,
): AsyncGenerator<Uint8Array, void, void> {
  const decipher = createDecipheriv('aes-256-cbc', keys.cipherKey, keys.iv);
  const mac = createHmac('sha256', keys.macKey).update(keys.iv);
  const whole = createHash('sha256');
  const plain = createHash('sha256');
  let tail: Uint8Array = Buffer.alloc(0);
  for await (const chunk of encrypted) {
    whole.update(chunk);
    const pending = Buffer.concat([tail, chunk]);
    const ready = pending.subarray(0, Math.max(pending.length - macLength, 0));
    tail = pending.subarray(ready.length);
    if (ready.length === 0) continue;
    mac.update(ready);
    const decrypted = decipher.update(ready);
    plain.update(decrypted);
    if (decrypted.length > 0) yield decrypted;
  }
  mustEqual(mac.digest().subarray(0, macLength), tail, 'authentication code');
  mustEqual(whole.digest(), expected.encryptedSha256, 'checksum');
  const last = decipher.final();
  plain.update(last);
  mustEqual(plain.digest(), expected.sha256, 'checksum of its content');
  if (last.length > 0) yield last;
}
