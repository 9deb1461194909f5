/** Albums: as phones and stock Baileys get them, what is uploaded before the first message leaves, and what a failure leaves to a repeat. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { normalizeMessageContent, proto } from 'baileys';
import sharp from 'sharp';
import type { Answer } from '../../support/api.ts';
import { eventually } from '../../support/wait.ts';
import { ffmpeg, sample } from '../../support/media.ts';
import { ada, bob, type Rig, startRig } from './rig.ts';

const inBase64 = (bytes: Uint8Array) => ({ mediaBase64: Buffer.from(bytes).toString('base64') });
const picture = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 40, height: 30, channels: 3, background } })
    .png()
    .toBuffer();

describe('albums', () => {
  let rig: Rig;
  let base: string;
  let images: readonly Buffer[];
  const server = createServer(({ url = '' }, response) => {
    if (url === '/picture.png') response.end(images[0]);
    else if (url === '/video.mp4') response.end(sample('video.mp4'));
    else response.writeHead(404).end();
  });
  before(async () => {
    images = await Promise.all(['#f00', '#0f0', '#00f'].map(picture));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    rig = await startRig({ HANDSET_FFMPEG: ffmpeg ?? 'none' });
  });
  after(async () => {
    server.close();
    await rig[Symbol.asyncDispose]();
  });

  const send = async (body: object, key?: string): Promise<Answer['body']> => {
    const answer = await rig.call('POST', '/album', body, key);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const mixed = () => [
    { ...inBase64(images[0]!), mediaCaption: 'red' },
    { ...inBase64(sample('video.mp4')), mediaCaption: 'moving' },
    inBase64(images[1]!),
  ];
  const ofBob = async () => (await rig.installation.phones.messages(bob)).filter(({ from }) => from === rig.jids.ada);

  it('its frame and its files come in their order, to a person and to a group, on phones and at stock Baileys', async () => {
    const question = await rig.fromBob(rig.jids.ada, { text: 'how was it?' });
    for (const to of [rig.jids.bob, rig.group]) {
      const quote = to === rig.group ? {} : { quotedMessageId: question };
      const { status, messageId, messageIds } = await send({ to, items: mixed(), ...quote });
      assert.deepEqual([status, messageIds.length], ['success', 3]);
      assert.partialDeepStrictEqual(await rig.shown(bob, messageId), {
        type: 'album',
        album: { images: 2, videos: 1 },
        ...(to !== rig.group && { quoted: { id: question } }),
      });
      const types = ['image', 'video', 'image'];
      for (const [index, id] of messageIds.entries()) {
        const shown = await rig.shown(bob, id);
        assert.partialDeepStrictEqual(shown, { type: types[index], albumId: messageId, error: null });
        const { message } = await rig.companion.received(id);
        const { associationType, parentMessageKey } = message?.messageContextInfo?.messageAssociation ?? {};
        assert.equal(associationType, proto.MessageAssociation.AssociationType.MEDIA_ALBUM);
        assert.equal(parentMessageKey?.id, messageId);
        const content = normalizeMessageContent(message);
        assert.ok(types[index] === 'image' ? content?.imageMessage : content?.videoMessage);
        const file = await rig.companion.download(await rig.companion.received(id));
        assert.ok(file.length > 0);
        assert.partialDeepStrictEqual(await rig.logged(id), { type: types[index], album: { messageId }, chat: to });
      }
      assert.equal((await rig.logged(messageIds[1])).text, 'moving');
      assert.partialDeepStrictEqual(await rig.logged(messageId), { type: 'album', direction: 'out', album: null });
      const seen = (await ofBob()).map(({ id }) => id);
      assert.deepEqual(
        seen.filter((id) => id === messageId || messageIds.includes(id)),
        [messageId, ...messageIds],
      );
    }
  });

  it('takes files by URL and by upload, up to 30', async () => {
    const uploaded = await rig.installation.api.fetch(`/devices/${rig.id}/files`, {
      method: 'POST',
      body: sample('video.mp4'),
    });
    const { file } = (await uploaded.json()) as { file: { id: string } };
    const urls = Array.from({ length: 28 }, () => ({ mediaUrl: `${base}/picture.png` }));
    const items = [{ fileId: file.id }, { mediaUrl: `${base}/video.mp4` }, ...urls];
    const { messageId, messageIds } = await send({ toNumber: bob, items });
    assert.partialDeepStrictEqual(await rig.shown(bob, messageId), { album: { images: 28, videos: 2 } });
    for (const id of messageIds) assert.equal((await rig.shown(bob, id))['error'], null);
  });

  it('one bad file, and nothing leaves: told by its place', async () => {
    const held = await rig.count();
    const [first, second] = [inBase64(images[0]!), inBase64(images[1]!)];
    const size =
      'items must be 2 to 30 items {mediaUrl | mediaBase64 | fileId, mediaCaption?}, captions of at most 1,024 characters';
    const refusals: readonly (readonly [readonly unknown[], number, RegExp | string])[] = [
      [[first], 400, size],
      [Array.from({ length: 31 }, () => first), 400, size],
      [[first, 'x'], 400, size],
      [[first, { ...second, fileName: 'x' }], 400, size],
      [[first, inBase64(Buffer.from('%PDF-1.7 a document'))], 400, /^items\[1\]: The video must be MP4/],
      [[first, inBase64(sample('audio.mp3'))], 400, /^items\[1\]: The video must be MP4/],
      [[first, second, inBase64(images[2]!.subarray(0, 60))], 400, /^items\[2\]: Image is damaged or ends too early$/],
      [[first, { ...second, mediaUrl: base }], 400, /^items\[1\]: Exactly one of mediaUrl, mediaBase64 and fileId/],
      [[first, {}], 400, /^items\[1\]: Exactly one of .* all are missing$/],
      [[{ fileId: 'file_none' }, first], 400, /^items\[0\]: fileId is not known/],
      [[first, { mediaUrl: `${base}/none.png` }], 400, /^items\[1\]: mediaUrl was answered with HTTP 404$/],
      [[first, inBase64(new Uint8Array())], 400, /^items\[1\]: mediaBase64/],
    ];
    const later = new Date(Date.now() + 3_600_000).toISOString();
    for (const [items, code, words] of refusals) {
      // A URL is fetched when its time has come.
      const isFetched = items.some((item) => JSON.stringify(item).includes('none.png'));
      for (const times of isFetched ? [{}] : [{}, { sendAt: later }]) {
        const [status, message] = await rig.refusal('POST', '/album', { toNumber: bob, items, ...times });
        const isMeant = typeof words === 'string' ? message === words : words.test(message);
        assert.deepEqual([status, isMeant], [code, true], `${status} ${message}`);
      }
    }
    assert.deepEqual((await rig.call('GET', '/scheduled')).body.scheduled, []);
    assert.deepEqual(await rig.count(), held);
  });

  it('one key is one album; a repeat after a failure sends what is missing, and nothing twice', async () => {
    const { phones } = rig.installation;
    const body = { toNumber: bob, items: mixed() };
    const first = await send(body, 'album-1');
    assert.deepEqual(await send(body, 'album-1'), first);
    const held = (await ofBob()).length;
    // The frame and the first file pass, then the network refuses.
    const stop = eventually('the first file', async () => {
      const those = (await ofBob()).slice(held);
      return those.some(({ type }) => type === 'image') && phones.request('PUT', '/faults', { rejectSends: 500 });
    });
    const slow = { toNumber: bob, items: [...mixed(), ...mixed(), ...mixed(), ...mixed(), ...mixed(), ...mixed()] };
    await phones.request('PUT', '/faults', { ackDelayMs: 100 });
    const answer = rig.call('POST', '/album', slow, 'album-2');
    await stop;
    const { status, body: failed } = await answer;
    assert.equal(status, 500, JSON.stringify(failed));
    assert.match(
      failed.status.message,
      /^Failed to send media message: \d+ of the 18 files of the album were sent\. items\[\d+\]: /,
    );
    await phones.request('DELETE', '/faults');
    const done = await send(slow, 'album-2');
    assert.equal(done.messageIds.length, 18);
    for (const id of done.messageIds) await rig.shown(bob, id);
    const ids = (await ofBob()).slice(held).map(({ id }) => id);
    assert.deepEqual(new Set(ids), new Set([done.messageId, ...done.messageIds]));
  });

  it('at a time, with its files kept until then', async () => {
    const sendAt = new Date(Date.now() + 1_500).toISOString();
    const items = [...mixed(), { mediaUrl: `${base}/picture.png` }];
    const answer = await send({ toNumber: bob, items, sendAt });
    const { scheduled } = (await rig.call('GET', '/scheduled')).body;
    const kept = images[0]!.length + images[1]!.length + sample('video.mp4').length;
    assert.partialDeepStrictEqual(scheduled, [{ messageId: answer.messageId, type: 'album', fileBytes: kept }]);
    assert.deepEqual(await rig.refusal('PUT', `/scheduled/${answer.messageId}`, { message: 'x' }), [
      400,
      'message can be changed only for texts and captions',
    ]);
    for (const id of answer.messageIds) assert.equal((await rig.shown(bob, id))['albumId'], answer.messageId);
    await eventually('nothing waits', async () => (await rig.call('GET', '/scheduled')).body.scheduled.length === 0);
    assert.equal((await rig.logged(answer.messageIds[3])).state === 'failed', false);
  });

  it('a file of it is forwarded, edited and deleted as others are', async () => {
    const { messageIds } = await send({ toNumber: bob, items: mixed() });
    const copy = await rig.send(`${messageIds[0]}/forward`, { to: rig.group });
    assert.equal((await rig.shown(bob, copy))['albumId'], undefined);
    await rig.call('PUT', `/${messageIds[0]}`, { message: 'scarlet' });
    await rig.until(bob, messageIds[0], ({ image }) => (image as { caption: string } | null)?.caption === 'scarlet');
    await rig.call('DELETE', `/${messageIds[2]}`);
    await rig.until(bob, messageIds[2], ({ revoked }) => revoked === true);
  });

  it('received, its files name it', async () => {
    const album = mixed().map(({ mediaBase64 }, index) =>
      index === 1 ? { videoBase64: mediaBase64 } : { imageBase64: mediaBase64 },
    );
    const [frame, ...files] = await rig.installation.phones.write(bob, { to: ada, album });
    for (const id of files) {
      const { message } = await rig.told('message.received', (data) => data.message.id === id);
      assert.deepEqual(message.album, { messageId: frame });
    }
  });
});
