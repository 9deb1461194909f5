/** Encryption of files from memory and from a stream: what is uploaded, and what can be read back of it at any offset. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { EncipheredFile } from '../../../src/domain/messages/files.ts';
import { decipherMedia } from '../../../src/whatsapp/media/decipher.ts';
import { encipherBytes, encipherStream, mediaKeysOf } from '../../../src/whatsapp/media/encipher.ts';
import { TemporaryFiles } from '../../../src/whatsapp/media/temporary-files.ts';

const root = mkdtempSync(join(tmpdir(), 'handset-encipher-'));
const folder = join(root, 'uploads');
const files = new TemporaryFiles(folder);
after(() => rm(root, { recursive: true }));

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield Uint8Array.from(bytes.subarray(at, at + size));
}

/** Pieces are valid until the next one is asked for. */
const gather = async (pieces: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const piece of pieces) parts.push(Buffer.from(piece));
  return Buffer.concat(parts);
};

const forms: Readonly<Record<string, (bytes: Buffer) => Promise<EncipheredFile>>> = {
  memory: (bytes) => encipherBytes(bytes, 'document'),
  stream: (bytes) => encipherStream(inPieces(bytes, 65_536), 'document', files),
};

for (const [form, encipher] of Object.entries(forms)) {
  for (const size of [1, 15, 16, 262_144, 262_145, 1_048_577, 3_000_000]) {
    test(`encipher: ${size} bytes from a ${form} can be read by whoever has the key`, async () => {
      const bytes = randomBytes(size);
      const file = await encipher(bytes);
      const sha256 = createHash('sha256').update(bytes).digest();
      for (let time = 0; time < 2; time += 1) {
        const encrypted = await gather(file.ciphertext());
        assert.equal(encrypted.length, file.length);
        const expected = { sha256, encryptedSha256: file.encryptedSha256 };
        const read = decipherMedia(inPieces(encrypted, 50_000), mediaKeysOf(file.mediaKey, 'document'), expected);
        assert.equal(Buffer.compare(await gather(read), bytes), 0);
        assert.deepEqual(file.sha256, sha256);
        const from = Math.floor(encrypted.length * 0.7);
        assert.equal(Buffer.compare(await gather(file.ciphertext(from)), encrypted.subarray(from)), 0);
      }
      await file.close();
    });

    test(`encipher: ${size} bytes from a ${form} can be read at any offset`, async () => {
      const bytes = randomBytes(size);
      const file = await encipher(bytes);
      assert.equal(file.plain.size, size);
      const offsets = [0, 1, 15, 16, 17, 31, 32, 1_000, 262_140, size - 17, size - 16, size - 1, size, size + 5];
      for (const offset of offsets.filter((each) => each >= 0)) {
        for (const length of [0, 1, 16, 33, 100_000]) {
          const read = await file.plain.read(offset, length);
          assert.equal(Buffer.compare(read, bytes.subarray(offset, offset + length)), 0, `${offset} + ${length}`);
        }
      }
      await file.close();
    });
  }
}

test('encipher: a temporary file is private and has no name', async () => {
  const file = await encipherStream(inPieces(randomBytes(100), 10), 'video', files);
  assert.deepEqual(await readdir(folder), []);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  await file.close();
  await assert.rejects(file.plain.read(0, 1), /closed|EBADF/);
  await files.clear();
  assert.deepEqual(await readdir(root), []);
});

const skip = process.platform === 'linux' ? false : 'Linux alone tells';

test('encipher: a stream that fails leaves nothing open', { skip }, async () => {
  const open = async (): Promise<number> => (await readdir('/proc/self/fd')).length;
  const before = await open();
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield randomBytes(70_000);
    throw new Error('broken off');
  }
  await assert.rejects(encipherStream(broken(), 'document', files), /^Error: broken off$/);
  assert.equal(await open(), before);
});
