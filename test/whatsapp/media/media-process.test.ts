/** The process that reads media: it can be ended at any moment, and the next file gets a new one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import sharp from 'sharp';
import { MediaProcess } from '../../../src/whatsapp/media/media-process.ts';
import { memoryBytes } from '../../../src/whatsapp/media/encipher.ts';
import { sample } from '../../support/media.ts';
import { eventually } from '../../support/wait.ts';

const picture = (side: number, channels: 3 | 4) =>
  sharp({ create: { width: side, height: side, channels, background: { r: 10, g: 20, b: 30, alpha: 0.5 } } });

const mine = { userId: 1 };

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const withProcess = async (run: (images: MediaProcess) => Promise<void>): Promise<void> => {
  const images = new MediaProcess();
  try {
    await run(images);
  } finally {
    images.close();
  }
};

test('an image is read in another process, and one that stays as it is is given back itself', async () => {
  await withProcess(async (images) => {
    const jpeg = await picture(64, 3).jpeg().toBuffer();
    const kept = await images.image(jpeg, mine);
    assert.equal(kept.bytes, jpeg);
    assert.deepEqual([kept.width, kept.height, kept.mimetype], [64, 64, 'image/jpeg']);
    assert.ok(kept.thumbnail.length > 0);
    const drawn = await images.image(await picture(64, 4).webp().toBuffer(), mine);
    assert.equal(drawn.mimetype, 'image/png');
    await assert.rejects(images.image(Buffer.from('no image'), mine), {
      name: 'InvalidImage',
      message: /only PNG/,
    });
  });
});

test('an image whose request is over is read no longer, and the next one is', async () => {
  await withProcess(async (images) => {
    const jpeg = await picture(64, 3).jpeg().toBuffer();
    await images.image(jpeg, mine);
    const slow = await picture(3_600, 4).webp({ lossless: true }).toBuffer();
    const abort = new AbortController();
    const before = images.pid!;
    const reading = images.image(slow, { ...mine, signal: abort.signal });
    const waiting = images.image(jpeg, { ...mine, signal: abort.signal });
    const next = images.image(jpeg, mine);
    // Nothing tells that it has begun; the outcome is the same either way.
    await setTimeout(50);
    abort.abort(new Error('its time is up'));
    await assert.rejects(reading, /its time is up/);
    await assert.rejects(waiting, /its time is up/);
    assert.equal((await next).bytes, jpeg);
    await eventually('the process is gone', () => !isAlive(before));
  });
});

test('a decoder that dies refuses the image that it had, and no other', async () => {
  await withProcess(async (images) => {
    const jpeg = await picture(64, 3).jpeg().toBuffer();
    await images.image(jpeg, mine);
    const child = images.pid!;
    const reading = images.image(await picture(3_600, 4).webp({ lossless: true }).toBuffer(), mine);
    process.kill(child, 'SIGKILL');
    await assert.rejects(reading, { name: 'InvalidImage', message: /too much memory/ });
    assert.equal((await images.image(jpeg, mine)).bytes, jpeg);
    const last = images.pid!;
    images.close();
    await eventually('none is left', () => !isAlive(last));
  });
});

test('what takes more memory than there is is refused before it is decoded', async () => {
  await withProcess(async (images) => {
    const large = await picture(7_000, 3).webp({ lossless: true }).toBuffer();
    await assert.rejects(images.image(large, mine), { name: 'InvalidImage', message: /at most 13 megapixels/ });
    const turned = await picture(7_000, 3).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { width, height } = await images.image(turned, mine);
    assert.deepEqual([width, height], [3_500, 3_500], 'a JPEG is read at half its size');
  });
});

test('a container that fills the memory is refused, one that never ends is ended, and the next is read', async () => {
  await withProcess(async (media) => {
    const claiming = (table: string, offset: number) => {
      const bytes = sample('video.mp4');
      bytes.writeUInt32BE(0x3fff_ffff, bytes.indexOf(table) + offset);
      return memoryBytes(bytes);
    };
    const full = { name: 'InvalidRequest', message: /^Video takes too much memory/ };
    await assert.rejects(media.inspect(claiming('stts', 12), 'video', mine), full);
    const abort = new AbortController();
    const endless = claiming('stsc', 16);
    const read = (offset: number, length: number) => {
      // It has its tables, and loops from here on.
      setImmediate(() => abort.abort(new Error('its time is up')));
      return endless.read(offset, length);
    };
    await assert.rejects(
      media.inspect({ size: endless.size, read }, 'video', { ...mine, signal: abort.signal }),
      /its time is up/,
    );
    assert.ok('fit' in (await media.inspect(memoryBytes(sample('video.mp4')), 'video', mine)));
  });
});

test('a container that never ends is ended after two seconds of processor time', async () => {
  await withProcess(async (media) => {
    const endless = sample('video.mp4');
    endless.writeUInt32BE(0x3fff_ffff, endless.indexOf('stsc') + 16);
    await media.inspect(memoryBytes(sample('video.mp4')), 'video', mine);
    const before = media.pid!;
    const began = performance.now();
    const inspecting = media.inspect(memoryBytes(endless), 'video', mine);
    await assert.rejects(inspecting, { name: 'InvalidRequest', message: 'Video takes too long to be read' });
    // Other processes may have had the processors meanwhile.
    assert.ok(performance.now() - began < 60_500);
    await eventually('the process is gone', () => !isAlive(before));
  });
});
