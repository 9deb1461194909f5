/** Random access to bytes in memory, and to an encrypted file, where decrypting a block takes the previous one. */
import { createDecipheriv } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { release } from '../../domain/bytes.ts';
import type { RandomAccessBytes } from '../../domain/messages/files.ts';
import type { MediaKeys } from './keys.ts';

const blockLength = 16;

export const memoryBytes = (bytes: Uint8Array): RandomAccessBytes => ({
  size: bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
});

const readFully = async (file: FileHandle, offset: number, length: number): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length;) {
    const { bytesRead } = await file.read(bytes, at, length - at, offset + at);
    if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written to it');
    at += bytesRead;
  }
  return bytes;
};

export const decryptedAt = (file: FileHandle, size: number, { iv, cipherKey }: MediaKeys): RandomAccessBytes => ({
  size,
  async read(offset, length) {
    const end = Math.min(offset + length, size);
    if (offset >= end) return new Uint8Array();
    const first = offset - (offset % blockLength);
    const last = Math.ceil(end / blockLength) * blockLength;
    const before = first === 0 ? 0 : blockLength;
    const bytes = await readFully(file, first - before, last - first + before);
    const vector = before === 0 ? iv : bytes.subarray(0, before);
    // Padding is cut off as beyond the end.
    const decipher = createDecipheriv('aes-256-cbc', cipherKey, vector).setAutoPadding(false);
    const plain = decipher.update(bytes.subarray(before)).subarray(offset - first, end - first);
    release(bytes);
    return plain;
  },
});
