/** Files prepared for the network's apps, with ffmpeg and without it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { pino } from 'pino';
import sharp from 'sharp';
import type { EncipheredFile, MediaClass } from '../../../src/domain/messages/files.ts';
import { encipherBytes } from '../../../src/whatsapp/media/encipher.ts';
import { findFfmpeg } from '../../../src/whatsapp/media/ffmpeg/ffmpeg.ts';
import { MediaProcess } from '../../../src/whatsapp/media/media-process.ts';
import { Preparation } from '../../../src/whatsapp/media/prepare.ts';
import { TemporaryFiles } from '../../../src/whatsapp/media/temporary-files.ts';
import { ffmpeg, noFfmpeg, sample } from '../../support/media.ts';

const folder = mkdtempSync(join(tmpdir(), 'handset-prepare-'));
const process = new MediaProcess();
after(() => {
  process.close();
  rmSync(folder, { recursive: true, force: true });
});

const preparation = (program: string | null, maxBytes = 10_000_000): Preparation =>
  new Preparation({
    pictures: process,
    containers: process,
    ffmpeg: program,
    files: new TemporaryFiles(folder),
    maxBytes,
    log: pino({ level: 'silent' }),
  });

const without = preparation(null);
const withIt = preparation(ffmpeg);

const given = (name: string, kind: MediaClass): Promise<EncipheredFile> => encipherBytes(sample(name), kind);
const mine = { userId: 1 };
const movie = [{ isGif: false }, null, mine] as const;
const voiceMessage = { isVoice: true };
const audioFile = { isVoice: false };

const plainOf = async ({ plain }: EncipheredFile): Promise<Buffer> => Buffer.from(await plain.read(0, plain.size));

test('without ffmpeg, files in the right form go out as they are', async () => {
  const video = await without.video(await given('video.mp4', 'video'), { isGif: false }, 'A test', mine);
  const { seconds, width, height, mimetype, thumbnail, caption } = video;
  assert.deepEqual([seconds, width, height, mimetype, thumbnail, caption], [2, 64, 48, 'video/mp4', null, 'A test']);
  assert.deepEqual(await plainOf(video.file), sample('video.mp4'));
  const voice = await without.audio(await given('voice.ogg', 'audio'), voiceMessage, mine);
  assert.deepEqual([voice.seconds, voice.waveform?.length], [3, 64]);
  const music = await without.audio(await given('audio.mp3', 'audio'), audioFile, mine);
  assert.deepEqual([music.mimetype, music.waveform], ['audio/mpeg', null]);
});

test('without ffmpeg, other forms are refused with the form that is wanted', async () => {
  const refused = (form: RegExp) => ({
    name: 'InvalidRequest',
    message: new RegExp(`${form.source}.*only where the service has ffmpeg`),
  });
  await assert.rejects(without.video(await given('video.webm', 'video'), ...movie), refused(/MP4 with H.264/));
  await assert.rejects(without.video(await given('picture.gif', 'video'), ...movie), refused(/MP4 with H.264/));
  await assert.rejects(
    without.audio(await given('audio.mp3', 'audio'), voiceMessage, mine),
    refused(/Ogg with Opus in one channel/),
  );
  await assert.rejects(
    without.audio(await given('vorbis.ogg', 'audio'), audioFile, mine),
    refused(/The audio must be MP3/),
  );
});

test('a sticker of WebP stays as it is, still and moving', async () => {
  const still = await without.sticker(await given('still.webp', 'sticker'), mine);
  assert.deepEqual([still.width, still.height, still.isAnimated], [64, 64, false]);
  assert.deepEqual(await plainOf(still.file), sample('still.webp'));
  const moving = await without.sticker(await given('animated.webp', 'sticker'), mine);
  assert.deepEqual([moving.width, moving.height, moving.isAnimated], [64, 64, true]);
  assert.deepEqual(await plainOf(moving.file), sample('animated.webp'));
});

test('other pictures become stickers of 512 by 512 pixels', async () => {
  const red = { create: { width: 300, height: 100, channels: 3, background: { r: 255, g: 0, b: 0 } } } as const;
  for (const bytes of [await sharp(red).png().toBuffer(), await sharp(red).jpeg().toBuffer()]) {
    const sticker = await without.sticker(await encipherBytes(bytes, 'sticker'), mine);
    assert.deepEqual([sticker.width, sticker.height, sticker.isAnimated], [512, 512, false]);
    const { format, width, height, hasAlpha } = await sharp(await plainOf(sticker.file)).metadata();
    assert.deepEqual([format, width, height, hasAlpha], ['webp', 512, 512, true]);
  }
  const moving = await without.sticker(await given('picture.gif', 'sticker'), mine);
  const { format, pages } = await sharp(await plainOf(moving.file), { animated: true }).metadata();
  assert.deepEqual([moving.isAnimated, moving.height, format, pages], [true, 512, 'webp', 5]);
});

test('a sticker that is too large, damaged or no picture is refused', async () => {
  const refused = async (bytes: Uint8Array, message: RegExp): Promise<void> =>
    assert.rejects(without.sticker(await encipherBytes(bytes, 'sticker'), mine), { message });
  const noise = await sharp(randomBytes(256 * 256 * 3), { raw: { width: 256, height: 256, channels: 3 } })
    .webp({ lossless: true })
    .toBuffer();
  await refused(noise, /larger than 100 kB/);
  await refused(sample('still.webp').subarray(0, 500), /damaged, ends too early/);
  await refused(sample('audio.mp3'), /must be WebP, PNG, JPEG or GIF/);
  const bomb = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
  // Width and height stand in the first chunk, behind its length and its name, which its checksum covers.
  bomb.writeUInt32BE(20_000, 16);
  bomb.writeUInt32BE(20_000, 20);
  bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
  await refused(bomb, /too many pixels/);
});

const skip = noFfmpeg;

test('videos in other forms are converted, and get a thumbnail', { skip }, async () => {
  const video = await withIt.video(await given('video.webm', 'video'), ...movie);
  assert.deepEqual([video.seconds, video.width, video.height, video.mimetype], [1, 64, 48, 'video/mp4']);
  assert.equal((await sharp(video.thumbnail!).metadata()).format, 'jpeg');
  assert.equal(video.file.class, 'video');
  await video.file.close();
  const same = await withIt.video(await given('video.mp4', 'video'), ...movie);
  assert.deepEqual(await plainOf(same.file), sample('video.mp4'), 'one in the right form stays as it is');
  const { width, height } = await sharp(same.thumbnail!).metadata();
  assert.deepEqual([width, height], [72, 54]);
});

test('a GIF becomes a video, and a QuickTime file keeps its tracks', { skip }, async () => {
  const gif = await withIt.video(await given('picture.gif', 'video'), { isGif: true }, null, mine);
  assert.deepEqual([gif.isGif, gif.width, gif.height, gif.seconds], [true, 32, 32, 1]);
  await gif.file.close();
  const quickTime = sample('video.mp4');
  quickTime.write('qt  ', 8, 'latin1');
  const video = await withIt.video(await encipherBytes(quickTime, 'video'), ...movie);
  const bytes = await plainOf(video.file);
  // The data of the first frame, which another encoding would change.
  const frame = quickTime.subarray(quickTime.indexOf('mdat') + 4).subarray(0, 400);
  assert.ok(bytes.includes(frame));
  await video.file.close();
});

test('voice messages are made of any audio, and audio of other forms becomes M4A', { skip }, async () => {
  for (const name of ['audio.mp3', 'stereo.ogg']) {
    const { file, ...voice } = await withIt.audio(await given(name, 'audio'), voiceMessage, mine);
    assert.deepEqual([voice.mimetype, voice.waveform?.length], ['audio/ogg; codecs=opus', 64], name);
    assert.ok(voice.seconds >= 1 && voice.seconds <= 2, name);
    await file.close();
  }
  const music = await withIt.audio(await given('vorbis.ogg', 'audio'), audioFile, mine);
  assert.deepEqual([music.mimetype, music.seconds], ['audio/mp4', 1]);
  await music.file.close();
});

test('what ffmpeg cannot read, and what may name other files, is refused', { skip }, async () => {
  const playlist = '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n';
  const list = "ffconcat version 1.0\nfile '/etc/passwd'\n";
  for (const text of ['no video at all', playlist, list]) {
    const file = await encipherBytes(Buffer.from(text), 'video');
    const message = /MP4 with H.264 .* this file could not be/;
    await assert.rejects(withIt.video(file, ...movie), { name: 'InvalidRequest', message });
  }
  const small = preparation(ffmpeg, 1_000);
  await assert.rejects(small.audio(await given('vorbis.ogg', 'audio'), audioFile, mine), /this file could not be/);
});

test("a conversion of one user does not hold another's thumbnail", { skip }, async () => {
  const gate = join(folder, 'gate');
  const slow = join(folder, 'slow-ffmpeg');
  const script = `#!/bin/sh\ncase "$*" in *libx264*) until [ -e '${gate}' ]; do sleep 0.02; done;; esac\nexec '${ffmpeg}' "$@"\n`;
  writeFileSync(slow, script, { mode: 0o755 });
  const shared = preparation(slow);
  const large = shared.video(await given('video.webm', 'video'), ...movie);
  const other = await shared.video(await given('video.mp4', 'video'), { isGif: false }, null, { userId: 2 });
  assert.ok(other.thumbnail !== null);
  writeFileSync(gate, 'go\n');
  await (await large).file.close();
  [gate, slow].forEach((path) => rmSync(path));
});

test('a request that is over ends its conversion', { skip }, async () => {
  const abort = new AbortController();
  const pending = withIt.video(await given('video.webm', 'video'), { isGif: false }, null, {
    ...mine,
    signal: abort.signal,
  });
  abort.abort(new Error('its time is up'));
  await assert.rejects(pending, /its time is up/);
  assert.deepEqual(readdirSync(folder), [], 'no file has a name');
});

test('ffmpeg is found on the path, at its setting, or not at all', () => {
  assert.equal(findFfmpeg('none', '/usr/bin'), null);
  assert.equal(findFfmpeg(null, folder), null);
  assert.equal(findFfmpeg(globalThis.process.execPath, ''), globalThis.process.execPath);
  assert.throws(() => findFfmpeg(join(folder, 'nothing'), ''), /HANDSET_FFMPEG must be the path of a program, or none/);
});
