/** Files both ways: every kind can be downloaded, at once, later and after a restart, and none that is wrong. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { type Installation, startInstallation } from '../support/installation.ts';
import { ada, addPhones, bob, linkDevice, untilEvent, untilOpen, untilShown } from './steps.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

interface Incoming {
  readonly id: string;
  readonly type: string;
  readonly text: string | null;
  readonly media: { mimetype: string; bytes: number; sha256: string; fileName: string | null; url: string };
}

describe('media', () => {
  let installation: Installation;
  let id: number;
  const sent: { id: string; bytes: Buffer; mimetype: string }[] = [];
  const download = (messageId: string) => installation.api.fetch(`/devices/${id}/messages/${messageId}/media`);
  const receive = async (message: Record<string, unknown>): Promise<Incoming> => {
    const [messageId] = await installation.phones.write(bob, { to: ada, ...message });
    const event = await untilEvent(
      installation,
      id,
      'message.received',
      (data: { message: Incoming }) => data.message.id === messageId,
    );
    return (event.data as { message: Incoming }).message;
  };

  before(async () => {
    installation = await startInstallation();
    await addPhones(installation);
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  const image = (format: 'jpeg' | 'webp') =>
    sharp({ create: { width: 320, height: 200, channels: 3, background: '#1a7' } })
      .toFormat(format)
      .toBuffer();

  for (const { kind, mimetype, more, make } of [
    { kind: 'image', mimetype: 'image/jpeg', more: { caption: 'a picture' }, make: () => image('jpeg') },
    { kind: 'video', mimetype: 'video/mp4', more: { caption: 'a film' }, make: async () => randomBytes(300_001) },
    { kind: 'audio', mimetype: 'audio/ogg; codecs=opus', more: {}, make: async () => randomBytes(70_000) },
    {
      kind: 'document',
      mimetype: 'application/pdf',
      more: { caption: 'a paper', mimetype: 'application/pdf', fileName: 'Größe.pdf' },
      make: async () => randomBytes(1_000_003),
    },
    { kind: 'sticker', mimetype: 'image/webp', more: {}, make: () => image('webp') },
  ]) {
    it(`a received ${kind} can be downloaded, and is what was sent`, async () => {
      const bytes = await make();
      const message = await receive({ [`${kind}Base64`]: bytes.toString('base64'), ...more });
      assert.equal(message.type, kind);
      assert.equal(message.text, 'caption' in more ? more.caption : null);
      assert.partialDeepStrictEqual(message.media, { mimetype, bytes: bytes.length, sha256: sha256(bytes) });
      assert.equal(message.media.url, `${installation.api.baseUrl}/devices/${id}/messages/${message.id}/media`);
      const answer = await download(message.id);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), mimetype);
      if ('fileName' in more) assert.match(answer.headers.get('content-disposition')!, /Gr%C3%B6%C3%9Fe\.pdf/);
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes);
      sent.push({ id: message.id, bytes, mimetype });
    });
  }

  it('the media of a view-once message is not served, and the answer says so', async () => {
    const { id: messageId, media } = await receive({ text: 'once', withheld: 'viewOnce' });
    assert.equal(media, null);
    const { status, body } = await installation.api.get(`/devices/${id}/messages/${messageId}/media`);
    assert.deepEqual([status, body.status.message], [404, 'The media of a view-once message is not served']);
  });

  for (const format of ['jpeg', 'png', 'gif', 'webp'] as const) {
    it(`a ${format} goes out with thumbnail, dimensions and caption, to a number, a LID and a group`, async () => {
      const { lid } = await installation.phones.get(bob);
      const group = { subject: format, owner: bob, participants: [ada] };
      const { jid } = await installation.phones.request<{ jid: string }>('POST', '/groups', group);
      const mediaBase64 = (
        await sharp({ create: { width: 400, height: 100, channels: 3, background: '#37c' } })
          .toFormat(format)
          .toBuffer()
      ).toString('base64');
      for (const [name, to] of Object.entries({ number: { toNumber: bob }, LID: { to: lid }, group: { to: jid } })) {
        const body = { ...to, mediaBase64, mediaCaption: `${format} by ${name}` };
        assert.equal((await installation.api.post(`/devices/${id}/messages/media`, body)).status, 200);
        const { image: shown } = await untilShown(installation, bob, `${format} by ${name}`);
        assert.partialDeepStrictEqual(shown, { width: 400, height: 100, claimedWidth: 400, claimedHeight: 100 });
        assert.ok(shown!.thumbnailBytes > 100 && shown!.thumbnailBytes < 5_000, `${shown!.thumbnailBytes} bytes`);
      }
    });
  }

  it('a file of 10 MB arrives as a stream, and an image of 10 MB goes out', async () => {
    const bytes = randomBytes(10 * 1024 * 1024);
    const message = await receive({ videoBase64: bytes.toString('base64') });
    const answer = await download(message.id);
    const hash = createHash('sha256');
    let pieces = 0;
    for await (const piece of answer.body! as unknown as AsyncIterable<Uint8Array>) {
      hash.update(piece);
      pieces += 1;
    }
    assert.equal(hash.digest('hex'), sha256(bytes));
    assert.ok(pieces > 10, `${pieces} pieces`);

    const noise = await sharp(randomBytes(1_900 * 1_800 * 3), { raw: { width: 1_900, height: 1_800, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer();
    assert.ok(noise.length > 10_000_000 && noise.length < 10_485_760, `${noise.length} bytes`);
    const body = { toNumber: bob, mediaBase64: noise.toString('base64'), mediaCaption: 'noise' };
    assert.equal((await installation.api.post(`/devices/${id}/messages/media`, body)).status, 200);
    const shown = await untilShown(installation, bob, 'noise');
    assert.partialDeepStrictEqual(shown.image, {
      bytes: noise.length,
      sha256: sha256(noise),
      width: 1_900,
      height: 1_800,
    });
  });

  it('what a phone of the account itself has sent can be downloaded too', async () => {
    const bytes = await image('jpeg');
    const [messageId] = await installation.phones.write(ada, { to: bob, imageBase64: bytes.toString('base64') });
    await untilEvent(installation, id, 'message.sent', (data: { message: Incoming }) => data.message.id === messageId);
    assert.deepEqual(Buffer.from(await (await download(messageId!)).arrayBuffer()), bytes);
  });

  it('all of them can be downloaded again after a restart', async () => {
    await installation.restart();
    await untilOpen(installation, id);
    for (const { id: messageId, bytes, mimetype } of sent) {
      const answer = await download(messageId);
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, mimetype]);
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes);
    }
  });

  it('a file with a wrong hash is never passed on as whole', async () => {
    await installation.phones.request('PUT', '/faults', { mediaCorrupt: true });
    for (const { id: messageId } of sent) {
      const read = async (): Promise<number> => {
        const answer = await download(messageId);
        await answer.arrayBuffer();
        return answer.status;
      };
      // A small file is found out before the answer begins, a large one in the middle of it.
      const outcome = await read().catch(() => 'cut');
      assert.ok(outcome === 'cut' || outcome === 500, String(outcome));
    }
    await installation.phones.request('DELETE', '/faults');
    assert.equal((await download(sent[0]!.id)).status, 200);
  });

  it('what the media host does not have any more is 404, and a host that fails is no lost message', async () => {
    await installation.phones.request('PUT', '/faults', { mediaStatus: 410 });
    assert.equal((await download(sent[0]!.id)).status, 404);
    await installation.phones.request('PUT', '/faults', { mediaStatus: 503 });
    assert.equal((await download(sent[0]!.id)).status, 500);
    const body = { toNumber: bob, mediaBase64: (await image('jpeg')).toString('base64') };
    const refused = await installation.api.post(`/devices/${id}/messages/media`, body);
    const words = "Failed to send media message: the network's media host answered HTTP 503";
    assert.equal(refused.body.status.message, words);
    await installation.phones.request('DELETE', '/faults');
    assert.equal((await installation.api.post(`/devices/${id}/messages/media`, body)).status, 200);
  });

  it('a text has no media', async () => {
    const message = await receive({ text: 'only words' });
    assert.equal((await download(message.id)).status, 404);
  });

  it('location, contact and poll come as what they are', async () => {
    for (const [type, message] of Object.entries({
      location: { location: { latitude: 52.5, longitude: 13.4, name: 'Berlin' } },
      contact: { contact: { name: 'Cyd', number: '4915550003333' } },
      poll: { poll: { question: 'When?', options: ['Today', 'Tomorrow'] } },
    })) {
      assert.equal((await receive(message)).type, type);
    }
    assert.equal((await installation.phones.stats()).mediaFailures, 0);
  });
});
