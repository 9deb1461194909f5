/** Images that are more than they seem: bombs are refused, and of a file with something else in it only the picture goes out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { convertImage, plainJpeg, plainPng } from '../../src/whatsapp/media/image.ts';

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
};

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A decompression bomb: very many black pixels in very few bytes. */
const bomb = (width: number, height: number): Buffer => {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([1, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(Math.min(height, 20_000) * (1 + Math.ceil(width / 8)));
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const picture = () => sharp({ create: { width: 64, height: 48, channels: 3, background: { r: 200, g: 30, b: 60 } } });

test('bombs are refused before they are unpacked', async () => {
  const before = process.memoryUsage().rss;
  for (const [width, height] of [
    [20_000, 20_000],
    [60_000, 60_000],
    [2_000_000_000, 1],
    [2_147_483_647, 2_147_483_647],
  ] as const) {
    const bytes = bomb(Math.min(width, 60_000), Math.min(height, 20_000));
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
    const began = performance.now();
    await assert.rejects(convertImage(bytes), {
      name: 'InvalidImage',
      message: width > 1e9 ? /./ : /at most 50 megapixels/,
    });
    assert.ok(performance.now() - began < 10_000, `${width} x ${height}`);
  }
  assert.ok(process.memoryUsage().rss - before < 150 * 1_048_576, 'and without the memory that they ask for');
});

const secrets = ['PK\u0003\u0004 a whole archive', '<script>alert(1)</script>', '%PDF-1.4', 'GPS of a home'];

const hides = async (bytes: Uint8Array): Promise<void> => {
  const sent = await convertImage(bytes);
  for (const secret of secrets) {
    assert.ok(!Buffer.from(sent.bytes).includes(secret), secret);
    assert.ok(!Buffer.from(sent.thumbnail).includes(secret), secret);
  }
  assert.deepEqual([sent.width, sent.height], [64, 48]);
};

test('what stands behind the end of the picture is not sent', async () => {
  const formats = [
    picture().jpeg(),
    picture().jpeg({ progressive: true }),
    picture().png(),
    picture().webp(),
    picture().gif(),
  ];
  for (const format of formats) {
    const clean = await format.toBuffer();
    for (const secret of secrets) await hides(Buffer.concat([clean, Buffer.from(secret)]));
  }
});

test('comments, EXIF and other metadata are not sent, and the pixels stay as they are', async () => {
  const jpeg = await picture().jpeg().toBuffer();
  const comment = Buffer.from(secrets.join(' '), 'latin1');
  const segment = (marker: number, data: Buffer): Buffer => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(data.length + 2);
    return Buffer.concat([Buffer.from([0xff, marker]), length, data]);
  };
  const markers = [0xfe, 0xe1, 0xe2, 0xed, 0xe5];
  const loaded = Buffer.concat([
    jpeg.subarray(0, 2),
    ...markers.map((marker) => segment(marker, comment)),
    jpeg.subarray(2),
  ]);
  await hides(loaded);
  assert.deepEqual(plainJpeg(loaded), jpeg, 'without a loss');
  const withExif = await picture()
    .jpeg()
    .withExif({ IFD0: { Copyright: 'GPS of a home' } })
    .toBuffer();
  assert.ok(withExif.includes('GPS of a home'));
  await hides(withExif);
  const png = await picture().png().toBuffer();
  const texts = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'prVt'].map((type) => chunk(type, comment));
  const written = Buffer.concat([png.subarray(0, 33), ...texts, png.subarray(33)]);
  await hides(written);
  assert.deepEqual(plainPng(written), png);
});

test('a plain file is sent as it is, with its colour profile', async () => {
  for (const clean of [await picture().jpeg().toBuffer(), await picture().png().toBuffer()]) {
    assert.deepEqual((await convertImage(clean)).bytes, clean);
  }
  const profiled = await picture().withIccProfile('p3').jpeg().toBuffer();
  assert.ok(Buffer.from(plainJpeg(profiled)!).includes('ICC_PROFILE'));
  const rotated = await picture().jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const sent = await convertImage(rotated);
  assert.deepEqual([sent.width, sent.height], [48, 64], 'turned before its EXIF goes');
});

test('a file that is two things at once is judged by its picture, or refused', async () => {
  const gifar = Buffer.concat([Buffer.from('GIF89a/*'), Buffer.from(secrets.join(''))]);
  await assert.rejects(convertImage(gifar), { name: 'InvalidImage' });
  const html = Buffer.concat([Buffer.from('<html>'), await picture().png().toBuffer()]);
  await assert.rejects(convertImage(html), { name: 'InvalidImage' });
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>');
  await assert.rejects(convertImage(svg), { name: 'InvalidImage' });
});

test('broken files neither hang nor crash', async () => {
  const clean = [await picture().jpeg().toBuffer(), await picture().png().toBuffer()];
  for (const bytes of clean) {
    for (let cut = 0; cut < bytes.length; cut += 7) {
      const half = bytes.subarray(0, cut);
      assert.equal(plainJpeg(half), null);
      assert.equal(plainPng(half), null);
    }
    for (let at = 0; at < bytes.length; at += 5) {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ 0xff;
      plainJpeg(changed);
      plainPng(changed);
    }
  }
});
