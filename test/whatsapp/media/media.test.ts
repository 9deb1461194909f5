/** Decrypting media as it streams in. */
import assert from 'node:assert/strict';
import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { getMediaKeys } from 'baileys';
import { decipherMedia } from '../../../src/whatsapp/media/decipher.ts';
import { mediaKeysOf } from '../../../src/whatsapp/media/encipher.ts';

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

const encrypt = async (plain: Uint8Array, mediaKey: Uint8Array): Promise<Buffer> => {
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, 'image');
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  const mac = createHmac('sha256', macKey!).update(iv).update(body).digest();
  return Buffer.concat([body, mac.subarray(0, 10)]);
};

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const collect = async (stream: AsyncIterable<Uint8Array>): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(stream));

const mediaKey = randomBytes(32);
const plain = randomBytes(10_007);
const nothingExpected = { sha256: null, encryptedSha256: null };

for (const size of [1, 7, 16, 4096, 20_000]) {
  test(`media: whole, in chunks of ${size}`, async () => {
    const file = await encrypt(plain, mediaKey);
    const expected = { sha256: sha256(plain), encryptedSha256: sha256(file) };
    const stream = decipherMedia(inChunks(file, size), mediaKeysOf(mediaKey, 'image'), expected);
    assert.deepEqual(await collect(stream), plain);
  });
}

const damages: readonly (readonly [string, (file: Buffer) => Buffer])[] = [
  [
    'a byte changed',
    (file) => Buffer.concat([file.subarray(0, 100), Buffer.from([file[100]! ^ 1]), file.subarray(101)]),
  ],
  ['cut short', (file) => file.subarray(0, 5000)],
  ['shorter than its authentication code', (file) => file.subarray(0, 5)],
];

for (const [name, damage] of damages) {
  test(`media: ${name}`, async () => {
    const file = damage(await encrypt(plain, mediaKey));
    const stream = decipherMedia(inChunks(file, 1000), mediaKeysOf(mediaKey, 'image'), nothingExpected);
    await assert.rejects(collect(stream), /wrong authentication code/);
  });
}

test('media: another file than the message told of', async () => {
  const file = await encrypt(plain, mediaKey);
  const keys = mediaKeysOf(mediaKey, 'image');
  const other = randomBytes(32);
  await assert.rejects(
    collect(decipherMedia(inChunks(file, 999), keys, { ...nothingExpected, sha256: other })),
    /wrong checksum/,
  );
  await assert.rejects(
    collect(decipherMedia(inChunks(file, 999), keys, { ...nothingExpected, encryptedSha256: other })),
    /wrong checksum/,
  );
});
