/** Encrypts media like the apps: AES-256-CBC, a truncated HMAC at the end, and hashes of plaintext and ciphertext. */
import { createCipheriv, createHash, createHmac, randomBytes, createDecipheriv, hkdfSync } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EncipheredFile, type MediaClass, type RandomAccessBytes, release } from '../../domain/messages/files.ts';
import type { TemporaryFiles } from './temporary-files.ts';

const macLength = 10;
const blockLength = 16;

const lookEveryBytes = 1_048_576;

const pieceBytes = 262_144;

/** Up to this size the encrypted form is kept between hashing and sending; a longer file is encrypted twice, and never held as a whole. */
const keptBytes = 1_048_576;

export const encryptedLength = (length: number): number => length - (length % blockLength) + blockLength + macLength;

/** Keys of a media file, derived from the key in its message. */
export interface MediaKeys {
  readonly iv: Uint8Array;
  readonly cipherKey: Uint8Array;
  readonly macKey: Uint8Array;
}

export type FileKind = MediaClass | 'md-msg-hist' | 'md-app-state';

const infoOf: Readonly<Record<FileKind, string>> = {
  image: 'WhatsApp Image Keys',
  sticker: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  'md-msg-hist': 'WhatsApp History Keys',
  'md-app-state': 'WhatsApp App State Keys',
};

export const mediaKeysOf = (mediaKey: Uint8Array, kind: FileKind): MediaKeys => {
  const expanded = new Uint8Array(hkdfSync('sha256', mediaKey, new Uint8Array(), infoOf[kind], 112));
  return { iv: expanded.subarray(0, 16), cipherKey: expanded.subarray(16, 48), macKey: expanded.subarray(48, 80) };
};

const hashesOf = ({ macKey, iv }: MediaKeys) => {
  const plain = createHash('sha256');
  const whole = createHash('sha256');
  const hmac = createHmac('sha256', macKey).update(iv);
  return {
    plain: (piece: Uint8Array) => void plain.update(piece),
    encrypted(piece: Uint8Array): void {
      whole.update(piece);
      hmac.update(piece);
    },
    result() {
      const end = hmac.digest().subarray(0, macLength);
      return { end, sha256: plain.digest(), encryptedSha256: whole.update(end).digest() };
    },
  };
};

async function* after(from: number, pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const piece of pieces) {
    const skipped = from - at;
    at += piece.length;
    if (skipped < piece.length) yield skipped > 0 ? piece.subarray(skipped) : piece;
  }
}

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

const decryptedAt = (file: FileHandle, size: number, { iv, cipherKey }: MediaKeys): RandomAccessBytes => ({
  /** Decrypting a block takes the previous one. */
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

/** `bytes` must not change before the upload has ended. */
export const encipherBytes = async (bytes: Uint8Array, kind: MediaClass): Promise<EncipheredFile> => {
  const mediaKey = randomBytes(32);
  const keys = mediaKeysOf(mediaKey, kind);
  const hashes = hashesOf(keys);
  const kept: Uint8Array[] | null = bytes.length > keptBytes ? null : [];
  function* encrypt(seen?: (piece: Uint8Array) => void): Generator<Uint8Array> {
    const cipher = createCipheriv('aes-256-cbc', keys.cipherKey, keys.iv);
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes);
      seen?.(piece);
      const encrypted = cipher.update(piece);
      yield encrypted;
      if (kept === null) release(encrypted);
    }
    yield cipher.final();
  }
  for (const piece of encrypt(hashes.plain)) {
    hashes.encrypted(piece);
    if (kept === null) await nextTurn();
    else kept.push(piece);
  }
  const { end, ...named } = hashes.result();
  let isRead = false;
  function* all(): Generator<Uint8Array> {
    isRead = false;
    yield* kept ?? encrypt();
    yield end;
    isRead = true;
  }
  return {
    class: kind,
    plain: memoryBytes(bytes),
    mediaKey,
    ...named,
    length: encryptedLength(bytes.length),
    held: bytes.length,
    ciphertext: (from = 0) => after(from, all()),
    async close() {
      const pieces = kept?.splice(0) ?? [];
      if (isRead) pieces.forEach(release);
    },
  };
};

async function* readFrom(file: FileHandle, from: number): AsyncGenerator<Uint8Array> {
  const piece = Buffer.allocUnsafeSlow(pieceBytes);
  try {
    for (let at = from; ;) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    release(piece);
  }
}

/** Encrypted to a temporary file; the chunks must not be used afterwards. Throws what the stream throws. */
export const encipherStream = async (
  source: AsyncIterable<Uint8Array>,
  kind: MediaClass,
  files: TemporaryFiles,
): Promise<EncipheredFile> => {
  const mediaKey = randomBytes(32);
  const keys = mediaKeysOf(mediaKey, kind);
  const hashes = hashesOf(keys);
  const cipher = createCipheriv('aes-256-cbc', keys.cipherKey, keys.iv);
  const file = await files.create();
  let size = 0;
  let looked = 0;
  const write = async (encrypted: Uint8Array): Promise<void> => {
    hashes.encrypted(encrypted);
    await file.appendFile(encrypted);
    release(encrypted);
  };
  try {
    for await (const piece of source) {
      size += piece.length;
      if (size - looked > lookEveryBytes) {
        await files.assertRoom();
        looked = size;
      }
      hashes.plain(piece);
      await write(cipher.update(piece));
      release(piece);
    }
    await write(cipher.final());
    const { end, ...named } = hashes.result();
    await file.appendFile(end);
    return {
      class: kind,
      plain: decryptedAt(file, size, keys),
      mediaKey,
      ...named,
      length: encryptedLength(size),
      held: pieceBytes,
      ciphertext: (from = 0) => readFrom(file, from),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
};
