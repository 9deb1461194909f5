/** Images: what passes, what is converted, what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { convertImage } from '../../../src/whatsapp/media/image.ts';

const red = { r: 255, g: 0, b: 0 };
const canvas = (width: number, height: number, alpha?: number) =>
  sharp({
    create:
      alpha === undefined
        ? { width, height, channels: 3, background: red }
        : { width, height, channels: 4, background: { ...red, alpha } },
  });

const cases: readonly (readonly [string, () => Promise<Buffer>, string, boolean])[] = [
  ['PNG stays', () => canvas(40, 30).png().toBuffer(), 'image/png', true],
  ['transparent PNG stays', () => canvas(40, 30, 0.5).png().toBuffer(), 'image/png', true],
  ['JPEG stays', () => canvas(40, 30).jpeg().toBuffer(), 'image/jpeg', true],
  ['WebP becomes JPEG', () => canvas(40, 30).webp().toBuffer(), 'image/jpeg', false],
  ['transparent WebP becomes PNG', () => canvas(40, 30, 0.5).webp().toBuffer(), 'image/png', false],
  ['GIF becomes JPEG', () => canvas(40, 30).gif().toBuffer(), 'image/jpeg', false],
  ['transparent GIF becomes PNG', () => canvas(40, 30, 0).gif().toBuffer(), 'image/png', false],
  ['CMYK becomes RGB', () => canvas(40, 30).toColourspace('cmyk').jpeg().toBuffer(), 'image/jpeg', false],
];

for (const [name, make, mimetype, same] of cases) {
  test(`image: ${name}`, async () => {
    const bytes = await make();
    const image = await convertImage(bytes);
    assert.deepEqual([image.mimetype, image.width, image.height], [mimetype, 40, 30]);
    assert.equal(Buffer.compare(image.bytes, bytes) === 0, same);
    const made = await sharp(image.bytes).metadata();
    assert.equal(`image/${made.format}`, mimetype);
    assert.equal(made.space, 'srgb');
    const thumbnail = await sharp(image.thumbnail).metadata();
    assert.deepEqual([thumbnail.format, thumbnail.width, thumbnail.height], ['jpeg', 40, 30]);
  });
}

test('image: turned by its EXIF data it is sent upright', async () => {
  const bytes = await canvas(40, 30).jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const image = await convertImage(bytes);
  assert.deepEqual([image.width, image.height], [30, 40]);
  assert.equal((await sharp(image.bytes).metadata()).orientation, undefined);
});

test('image: of an animation the first frame', async () => {
  const frames = await sharp([await canvas(20, 10).png().toBuffer(), await canvas(20, 10).negate().png().toBuffer()], {
    join: { animated: true },
  })
    .gif()
    .toBuffer();
  assert.equal((await sharp(frames).metadata()).pages, 2);
  const image = await convertImage(frames);
  assert.deepEqual([image.mimetype, image.width, image.height], ['image/jpeg', 20, 10]);
  const { channels } = await sharp(image.bytes).stats();
  assert.ok(channels[0]!.mean > 240 && channels[2]!.mean < 15);
});

test('image: the thumbnail of a large image is small', async () => {
  const noise = await sharp({
    create: {
      width: 2000,
      height: 1000,
      channels: 3,
      background: red,
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .jpeg()
    .toBuffer();
  const { thumbnail } = await convertImage(noise);
  const { width, height } = await sharp(thumbnail).metadata();
  assert.deepEqual([width, height], [72, 36]);
  assert.ok(thumbnail.length < 8_000, `${thumbnail.length} bytes`);
});

const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
);
const refused: readonly (readonly [string, () => Promise<Buffer>])[] = [
  ['text', () => Promise.resolve(Buffer.from('this is no image'))],
  ['nothing', () => Promise.resolve(Buffer.alloc(0))],
  ['SVG', () => Promise.resolve(svg)],
  ['TIFF', () => canvas(9, 9).tiff().toBuffer()],
  ['a PNG signature only', async () => (await canvas(9, 9).png().toBuffer()).subarray(0, 8)],
];

for (const [name, make] of refused) {
  test(`image: refused is ${name}`, async () => {
    await assert.rejects(convertImage(await make()), {
      name: 'InvalidImage',
      message: 'Invalid image format (only PNG, JPEG, GIF, WebP allowed)',
    });
  });
}

const damaged: readonly (readonly [string, () => Promise<Buffer>])[] = [
  ['a JPEG that ends early', async () => (await canvas(400, 300).jpeg().toBuffer()).subarray(0, 600)],
  ['a PNG that ends early', async () => (await canvas(400, 300).png().toBuffer()).subarray(0, 200)],
];

for (const [name, make] of damaged) {
  test(`image: damaged is ${name}`, async () => {
    await assert.rejects(convertImage(await make()), {
      name: 'InvalidImage',
      message: 'Image is damaged or ends too early',
    });
  });
}

test('image: one of more pixels than there may be is refused for that', async () => {
  const bytes = await canvas(10_000, 6_000).png({ compressionLevel: 1 }).toBuffer();
  await assert.rejects(convertImage(bytes), {
    name: 'InvalidImage',
    message: 'Image has too many pixels; at most 50 megapixels are sent',
  });
});
