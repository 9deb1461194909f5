/** Containers by their bytes: what they hold, in which form they go out, and what is wrong with them. Works without ffmpeg. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Facts } from '../../../src/whatsapp/media/containers/inspect.ts';
import { inspect } from '../../../src/whatsapp/media/containers/inspect.ts';
import { memoryBytes } from '../../../src/whatsapp/media/encipher.ts';
import { sample } from '../../support/media.ts';

const inspected = (bytes: Uint8Array, kind: keyof Facts) => inspect(memoryBytes(bytes), kind);

const fits = async <Kind extends keyof Facts>(name: string, kind: Kind): Promise<Facts[Kind]> => {
  const judged = await inspect(memoryBytes(sample(name)), kind);
  assert.ok('fit' in judged, `${name} as ${kind}`);
  return judged.fit;
};

const wants = async (name: string, kind: keyof Facts, wanted: RegExp, keep: readonly string[]): Promise<void> => {
  const judged = await inspected(sample(name), kind);
  assert.ok('wanted' in judged, `${name} as ${kind}`);
  assert.match(judged.wanted, wanted);
  const kept = Object.entries(judged.keep).filter(([, isKept]) => isKept);
  assert.deepEqual(
    kept.map(([track]) => track),
    keep,
    name,
  );
};

test('MP4 with H.264 and AAC is a video as it is, with or without sound', async () => {
  assert.deepEqual(await fits('video.mp4', 'video'), { seconds: 2, width: 64, height: 48 });
  assert.deepEqual(await fits('gif.mp4', 'video'), { seconds: 1, width: 64, height: 48 });
});

test('other codecs and containers are none, and say which tracks can stay', async () => {
  const form = /MP4 with H.264 video and AAC audio/;
  await wants('hevc.mp4', 'video', form, []);
  await wants('video.webm', 'video', form, []);
  await wants('picture.gif', 'video', form, []);
  const quickTime = sample('video.mp4');
  quickTime.write('qt  ', 8, 'latin1');
  const judged = await inspected(quickTime, 'video');
  assert.ok('keep' in judged && judged.keep.video && judged.keep.audio, 'QuickTime needs another container alone');
  const deep = sample('video.mp4');
  deep[deep.indexOf('avcC') + 5] = 110;
  const tenBits = await inspected(deep, 'video');
  assert.ok(
    'keep' in tenBits && !tenBits.keep.video && tenBits.keep.audio,
    'H.264 of 10 bits is not played everywhere',
  );
});

test('MP3, M4A, AAC and Ogg Opus are audio as they are', async () => {
  const mimetypes = { 'audio.mp3': 'audio/mpeg', 'audio.m4a': 'audio/mp4', 'audio.aac': 'audio/aac' };
  for (const [name, mimetype] of Object.entries(mimetypes))
    assert.equal((await fits(name, 'audio')).mimetype, mimetype);
  assert.deepEqual(await fits('stereo.ogg', 'audio'), { mimetype: 'audio/ogg; codecs=opus', seconds: 1 });
  const form = /MP3, M4A or AAC with AAC, or Ogg with Opus/;
  await wants('vorbis.ogg', 'audio', form, []);
  await wants('video.mp4', 'audio', form, ['audio']);
});

test('a voice message is Ogg Opus in one channel, with its loudness in 64 points', async () => {
  const { waveform, ...facts } = await fits('voice.ogg', 'voice');
  assert.deepEqual(facts, { mimetype: 'audio/ogg; codecs=opus', seconds: 3 });
  assert.equal(waveform.length, 64);
  assert.equal(Math.max(...waveform), 100);
  // The first half was made 26 dB quieter than the second.
  assert.ok(
    waveform.subarray(0, 30).every((level) => level < 15),
    'the quiet half',
  );
  assert.ok(
    waveform.subarray(34).every((level) => level > 80),
    'the loud half',
  );
  const form = /Ogg with Opus in one channel/;
  for (const name of ['stereo.ogg', 'vorbis.ogg', 'audio.mp3', 'video.webm']) await wants(name, 'voice', form, []);
});

test('files that end early, have no length, or lack the track are refused in words', async () => {
  const cut = (name: string, end: number) => sample(name).subarray(0, end);
  const damaged = /is damaged or ends too early/;
  for (const end of [3_000, 5_700]) {
    await assert.rejects(inspected(cut('voice.ogg', end), 'voice'), { name: 'InvalidRequest', message: damaged });
    await assert.rejects(inspected(cut('voice.ogg', end), 'audio'), { name: 'InvalidRequest', message: damaged });
  }
  for (const end of [1_000, 5_000, 7_900]) {
    await assert.rejects(inspected(cut('video.mp4', end), 'video'), { name: 'InvalidRequest', message: damaged });
  }
  await assert.rejects(inspected(sample('audio.m4a'), 'video'), /it has no video track/);
  await assert.rejects(inspected(sample('gif.mp4'), 'audio'), /no sound track/);
  assert.ok('wanted' in (await inspected(Buffer.from('hello'), 'video')), 'an MP4 that is none');
  assert.ok('wanted' in (await inspected(Buffer.alloc(0), 'audio')));
});

/** The duration of every sample of a track (`stts`) set to 0. */
const timeless = (bytes: Buffer): Buffer => {
  for (let at = bytes.indexOf('stts'); at >= 0; at = bytes.indexOf('stts', at + 4)) {
    const entries = bytes.readUInt32BE(at + 8);
    for (let entry = 0; entry < entries; entry += 1) bytes.writeUInt32BE(0, at + 16 + 8 * entry);
  }
  for (let at = bytes.indexOf('ctts'); at >= 0; at = bytes.indexOf('ctts', at + 4)) bytes.write('free', at, 'latin1');
  for (let at = bytes.indexOf('edts'); at >= 0; at = bytes.indexOf('edts', at + 4)) bytes.write('free', at, 'latin1');
  return bytes;
};

test('a video of 0 seconds is refused', async () => {
  await assert.rejects(inspected(timeless(sample('gif.mp4')), 'video'), /it lasts 0 seconds/);
});

test('sizes that a container claims are not believed', async () => {
  const huge = sample('video.mp4');
  huge.writeUInt32BE(0xffff_ffff, huge.indexOf('moov') - 4);
  const endless = sample('video.mp4');
  endless.writeUInt32BE(0, endless.indexOf('trak') - 4);
  const samples = sample('video.mp4');
  samples.writeUInt32BE(0x7fff_ffff, samples.indexOf('stsz') + 12);
  for (const bytes of [huge, endless, samples]) {
    await assert.rejects(inspected(bytes, 'video'), { name: 'InvalidRequest' });
  }
});

/** Headers of empty AAC frames (ISO 13818-7, ADTS): of 8 bytes each. */
const tinyFrames = (bytes: number): Buffer => {
  const frame = Buffer.from([0xff, 0xf1, 0x50, 0x80, 0x01, 0x1f, 0xfc, 0x00]);
  return Buffer.alloc(bytes, frame);
};

test('of a long file of frames the first are counted, and tell the length of the rest', async () => {
  const before = process.cpuUsage();
  const judged = await inspected(tinyFrames(10_000_000), 'audio');
  const { user } = process.cpuUsage(before);
  assert.ok(user < 1_500_000, `${user / 1_000} ms`);
  assert.deepEqual(judged, {
    fit: { mimetype: 'audio/aac', seconds: Math.round((10_000_000 / 8) * (1_024 / 44_100)) },
  });
});
