/** Decrypts a media file as it streams in, and verifies it at the end. */
import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { ByteRange } from '../../domain/messages/kept-media.ts';
import type { MediaKeys } from './encipher.ts';

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

/** Throws after the last chunk if the file does not match its message. */
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

const blockLength = 16;

/** `read` returns the encrypted bytes, from the block before `from` on. They must be authentic: only a whole file has an HMAC. */
export const decipherRange = async (
  read: (from: number, to: number) => Promise<AsyncIterable<Uint8Array>>,
  { cipherKey, iv }: MediaKeys,
  { from, to }: ByteRange,
): Promise<AsyncIterable<Uint8Array>> => {
  const first = from - (from % blockLength);
  const before = first === 0 ? 0 : blockLength;
  const encrypted = await read(first - before, Math.ceil(to / blockLength) * blockLength);
  async function* pieces(): AsyncGenerator<Uint8Array, void, void> {
    // The previous block is decrypted too, wrongly for lack of its vector, and cut off.
    const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv).setAutoPadding(false);
    let skip = from - first + before;
    let left = to - from;
    for await (const chunk of encrypted) {
      const plain = decipher.update(chunk);
      const piece = plain.subarray(skip, skip + left);
      skip -= Math.min(skip, plain.length);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
    if (left > 0) throw new Error('A kept media file is shorter than it was');
  }
  return pieces();
};
