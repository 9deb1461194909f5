/** Video notes: as phones and stock Baileys get them, cropped by ffmpeg, as they are received, and what is refused. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ffmpeg, noFfmpeg, sample } from '../../support/media.ts';
import { ada, bob, type Rig, startRig } from './rig.ts';

const inBase64 = (bytes: Uint8Array) => ({ mediaBase64: Buffer.from(bytes).toString('base64') });
const square = { ...inBase64(sample('square.mp4')), note: true };

describe('video notes', () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig({ HANDSET_FFMPEG: ffmpeg ?? 'none' });
  });
  after(() => rig[Symbol.asyncDispose]());

  it('a square one arrives as it is, with a person and in a group, to be opened once as well', async () => {
    for (const to of [rig.jids.bob, rig.group]) {
      const id = await rig.send('video', { to, ...square });
      const media = { note: true, seconds: 2, width: 64, height: 64, bytes: sample('square.mp4').length };
      assert.partialDeepStrictEqual(await rig.shown(bob, id), { type: 'video', media, error: null });
      const received = await rig.companion.received(id);
      assert.equal(Buffer.compare(await rig.companion.download(received), sample('square.mp4')), 0);
      assert.partialDeepStrictEqual((await rig.content(id)).ptvMessage, { seconds: 2, mimetype: 'video/mp4' });
      assert.partialDeepStrictEqual(await rig.logged(id), { type: 'video', text: null, media });
      const copy = await rig.send(`${id}/forward`, { toNumber: bob });
      assert.partialDeepStrictEqual(await rig.shown(bob, copy), { media: { note: true } });
    }
    const once = await rig.send('video', { toNumber: bob, ...square, viewOnce: true });
    assert.partialDeepStrictEqual(await rig.shown(bob, once), { viewOnce: true, media: { note: true } });
    assert.equal((await rig.logged(once)).viewOnce, true);
  });

  it('another one is cropped', { skip: noFfmpeg }, async () => {
    for (const name of ['video.mp4', 'video.webm']) {
      const id = await rig.send('video', { toNumber: bob, ...inBase64(sample(name)), note: true });
      const { media } = (await rig.shown(bob, id)) as unknown as { readonly media: Record<string, unknown> };
      assert.partialDeepStrictEqual(media, { note: true, width: 48, height: 48 }, name);
      assert.ok(Number(media['thumbnailBytes']) > 0);
    }
  });

  it('lasts at most a minute', { skip: noFfmpeg }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'handset-note-'));
    try {
      const made = (seconds: number): Buffer => {
        const path = join(folder, `${seconds}.mp4`);
        const source = `color=size=32x32:rate=1:duration=${seconds}`;
        execFileSync(ffmpeg!, ['-v', 'error', '-f', 'lavfi', '-i', source, '-pix_fmt', 'yuv420p', path]);
        return readFileSync(path);
      };
      const id = await rig.send('video', { toNumber: bob, ...inBase64(made(60)), note: true });
      assert.partialDeepStrictEqual(await rig.shown(bob, id), { media: { note: true, seconds: 60 } });
      const long = { toNumber: bob, ...inBase64(made(61)), note: true };
      const words = [400, 'A video note may last 60 seconds; this video lasts 61'];
      assert.deepEqual(await rig.refusal('POST', '/video', long), words);
      const sendAt = new Date(Date.now() + 3_600_000).toISOString();
      assert.deepEqual(await rig.refusal('POST', '/video', { ...long, sendAt }), words);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('received, it is told as one', async () => {
    const video = { type: 'videoNote', videoBase64: square.mediaBase64, seconds: 2 };
    const id = await rig.fromBob(ada, video);
    assert.partialDeepStrictEqual(await rig.logged(id), { type: 'video', media: { note: true, seconds: 2 } });
    const plain = await rig.fromBob(ada, { videoBase64: square.mediaBase64 });
    assert.equal((await rig.logged(plain)).media.note, false);
  });

  it('has no caption and is no GIF', async () => {
    const held = await rig.count();
    const refusals: readonly (readonly [object, string])[] = [
      [{ gif: true }, 'note must be false with gif'],
      [{ mediaCaption: 'x' }, 'mediaCaption must not be given with note: a video note has no caption'],
      [{ note: 'yes' }, 'note must be true or false'],
      [inBase64(sample('audio.m4a')), 'The video must be MP4 with H.264 video and AAC audio; it has no video track'],
      [inBase64(sample('video.mp4').subarray(0, 5_000)), 'The video note is damaged or ends too early'],
    ];
    for (const [body, words] of refusals)
      assert.deepEqual(await rig.refusal('POST', '/video', { toNumber: bob, ...square, ...body }), [400, words]);
    assert.deepEqual(await rig.count(), held);
    const id = await rig.send('video', { toNumber: bob, ...square });
    assert.deepEqual(await rig.refusal('PUT', `/${id}`, { message: 'x' }), [
      400,
      'Only texts and captions can be edited',
    ]);
  });
});

describe('video notes without ffmpeg', () => {
  it('what is not square is refused with the form that is wanted', async () => {
    await using rig = await startRig({ HANDSET_FFMPEG: 'none' });
    const body = { toNumber: bob, ...inBase64(sample('video.mp4')), note: true };
    assert.deepEqual(await rig.refusal('POST', '/video', body), [
      400,
      'A video note must be a square MP4 with H.264 video and AAC audio; other forms are converted only where the service has ffmpeg',
    ]);
    await rig.send('video', { toNumber: bob, ...square });
  });
});
