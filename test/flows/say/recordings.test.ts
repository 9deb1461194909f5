/** Videos, audio, voice messages and stickers: on the phone and on a stock companion byte for byte; converted with ffmpeg, and refused in words. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { ffmpeg, noFfmpeg, sample } from '../../support/media.ts';
import { bob, type Rig, startRig } from './rig.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const videoSize = { width: 64, height: 48 };
const opus = 'audio/ogg; codecs=opus';

/** The kind, the file, more of the body, what phones and the log show, what stock Baileys reads, and what the log has besides. */
const cases: readonly (readonly [string, string, object, object, object, object?])[] = [
  ['video', 'video.mp4', {}, { mimetype: 'video/mp4', seconds: 2, ...videoSize }, { seconds: 2 }, { gif: false }],
  ['video', 'gif.mp4', { gif: true }, { seconds: 1, ...videoSize, gif: true }, { seconds: 1, gifPlayback: true }],
  ['audio', 'audio.mp3', {}, { mimetype: 'audio/mpeg', seconds: 1 }, { ptt: false }, { voice: false }],
  ['audio', 'audio.m4a', { voice: false }, { mimetype: 'audio/mp4', seconds: 2 }, { ptt: false }, { voice: false }],
  ['audio', 'voice.ogg', { voice: true }, { mimetype: opus, seconds: 3, voice: true }, { ptt: true, mimetype: opus }],
  ['sticker', 'still.webp', {}, { mimetype: 'image/webp', width: 64, height: 64 }, { isAnimated: false }],
  ['sticker', 'animated.webp', {}, { mimetype: 'image/webp', width: 64, height: 64 }, { isAnimated: true }],
];

const partOf = { video: 'videoMessage', audio: 'audioMessage', sticker: 'stickerMessage' } as const;

describe('videos, audio and stickers', () => {
  let rig: Rig;
  let base: string;
  const server = createServer(({ url = '' }, response) => void response.end(sample(url.slice(1))));
  before(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    rig = await startRig({ HANDSET_FFMPEG: ffmpeg ?? 'none' });
  });
  after(async () => {
    server.close();
    await rig?.[Symbol.asyncDispose]();
  });
  const inBase64 = (bytes: Uint8Array) => ({ mediaBase64: Buffer.from(bytes).toString('base64') });

  for (const [kind, name, body, shown, read, logged = {}] of cases) {
    it(`${name} as ${kind} arrives as it is`, async () => {
      const bytes = sample(name);
      for (const [to, source] of [
        [rig.jids.bob, inBase64(bytes)],
        [rig.group, { mediaUrl: `${base}/${name}` }],
      ] as const) {
        const id = await rig.send(kind, { to, ...source, ...body });
        const media = { ...shown, bytes: bytes.length, sha256: sha256(bytes) };
        assert.partialDeepStrictEqual(await rig.shown(bob, id), { type: kind, media, error: null });
        const received = await rig.companion.received(id);
        assert.equal(Buffer.compare(await rig.companion.download(received), bytes), 0);
        const part = (await rig.content(id))[partOf[kind as keyof typeof partOf]];
        assert.partialDeepStrictEqual(part, read);
        assert.ok(part?.directPath && part.mediaKeyTimestamp && part.fileLength);
        const record = { type: kind, direction: 'out', chat: to, media: { ...media, ...logged } };
        assert.partialDeepStrictEqual(await rig.logged(id), record);
        const { message } = await rig.told('message.sent', (data) => data.message.id === id);
        assert.partialDeepStrictEqual(message, { media });
      }
    });
  }

  it('has captions, mentions and quotes where the apps have them, and is forwarded without another upload', async () => {
    const quotedMessageId = await rig.fromBob(rig.jids.ada, { text: 'how does it sound?' });
    const video = { toNumber: bob, ...inBase64(sample('video.mp4')), mediaCaption: `for @${bob}`, mentions: [bob] };
    const seen = await rig.shown(bob, await rig.send('video', video));
    assert.partialDeepStrictEqual(seen, { media: { caption: `for @${bob}` }, mentions: [rig.jids.bob] });
    const voice = { toNumber: bob, ...inBase64(sample('voice.ogg')), voice: true, quotedMessageId };
    const id = await rig.send('audio', voice);
    const { waveform } = (await rig.shown(bob, id))['media'] as { readonly waveform: readonly number[] };
    assert.equal(waveform.length, 64);
    assert.partialDeepStrictEqual(await rig.shown(bob, id), { quoted: { id: quotedMessageId } });
    const copy = await rig.send(`${id}/forward`, { to: rig.group });
    const [first, second] = [await rig.content(id), await rig.content(copy)];
    assert.equal(second.audioMessage?.directPath, first.audioMessage?.directPath);
    assert.partialDeepStrictEqual(await rig.shown(bob, copy), { media: { voice: true, waveform } });
  });

  it('a picture becomes a sticker', async () => {
    const picture = { create: { width: 200, height: 100, channels: 3, background: '#00f' } } as const;
    const id = await rig.send('sticker', { toNumber: bob, ...inBase64(await sharp(picture).png().toBuffer()) });
    const file = await rig.companion.download(await rig.companion.received(id));
    const { format, width, height } = await sharp(file).metadata();
    assert.deepEqual([format, width, height], ['webp', 512, 512]);
    assert.partialDeepStrictEqual(await rig.shown(bob, id), { type: 'sticker', media: { width: 512, height: 512 } });
  });

  it('other forms are converted', { skip: noFfmpeg }, async () => {
    const video = await rig.send('video', { toNumber: bob, mediaUrl: `${base}/video.webm` });
    const { videoMessage } = await rig.content(video);
    assert.partialDeepStrictEqual(videoMessage, { mimetype: 'video/mp4', seconds: 1, ...videoSize });
    const { jpegThumbnail } = videoMessage ?? {};
    assert.equal((await sharp(jpegThumbnail ?? undefined).metadata()).format, 'jpeg');
    assert.partialDeepStrictEqual(await rig.shown(bob, video), { media: { thumbnailBytes: jpegThumbnail?.length } });
    const gif = await rig.send('video', { toNumber: bob, ...inBase64(sample('picture.gif')), gif: true });
    assert.partialDeepStrictEqual(await rig.shown(bob, gif), { type: 'video', media: { gif: true, width: 32 } });
    const voice = await rig.send('audio', { toNumber: bob, mediaUrl: `${base}/audio.mp3`, voice: true });
    const { audioMessage } = await rig.content(voice);
    assert.partialDeepStrictEqual(audioMessage, { mimetype: opus, ptt: true, seconds: 1 });
    const file = await rig.companion.download(await rig.companion.received(voice));
    assert.equal(file.toString('latin1', 0, 4), 'OggS');
    assert.equal(Number(audioMessage?.fileLength), file.length);
  });

  it('one idempotency key makes one message', async () => {
    const body = { toNumber: bob, mediaUrl: `${base}/voice.ogg`, voice: true };
    const id = await rig.send('audio', body, 'voice-1');
    assert.equal(await rig.send('audio', body, 'voice-1'), id);
    assert.equal((await rig.call('POST', '/audio', { ...body, voice: false }, 'voice-1')).status, 400);
    assert.equal((await rig.call('POST', '/video', body, 'voice-1')).status, 400);
  });

  it('refuses in words, and nothing leaves', async () => {
    const heavy = await sharp(randomBytes(256 * 256 * 3), { raw: { width: 256, height: 256, channels: 3 } })
      .webp({ lossless: true })
      .toBuffer();
    const refusals: readonly (readonly [string, object, RegExp])[] = [
      ['video', inBase64(Buffer.from('no video')), /^The video must be MP4 with H\.264 video and AAC audio/],
      ['video', inBase64(sample('video.mp4').subarray(0, 5_000)), /^The video is damaged or ends too early$/],
      ['video', inBase64(sample('audio.m4a')), /it has no video track$/],
      ['audio', { ...inBase64(sample('voice.ogg').subarray(0, 3_000)), voice: true }, /^The voice message is damaged/],
      ['audio', inBase64(sample('gif.mp4')), /^The audio has no sound track$/],
      ['audio', { ...inBase64(sample('voice.ogg')), voice: 'yes' }, /^voice must be true or false$/],
      ['sticker', inBase64(heavy), /^The sticker is larger than 100 kB \(102,400 bytes\)$/],
      ['sticker', inBase64(sample('audio.mp3')), /^A sticker must be WebP, PNG, JPEG or GIF$/],
      ['sticker', {}, /^Exactly one of mediaUrl, mediaBase64 and fileId must be given; all are missing$/],
      ['video', { ...inBase64(sample('video.mp4')), mentions: [bob] }, /hidden mentions are refused$/],
    ];
    const held = await rig.count();
    for (const [kind, body, words] of refusals) {
      const [status, message] = await rig.refusal('POST', `/${kind}`, { toNumber: bob, ...body });
      assert.deepEqual([status, words.test(message)], [400, true], `${kind}: ${status} ${message}`);
    }
    assert.deepEqual(await rig.count(), held);
  });
});
