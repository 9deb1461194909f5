/** Media that is kept: fetched as it comes, served whole and in parts when the network and the phone have it no more, and removed in its time. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { type Installation, startInstallation } from '../support/installation.ts';
import { startMortal } from '../support/mortal.ts';
import { eventually } from '../support/wait.ts';
import { type Place, ada, addPhones, bob, linkDevice, untilEvent, untilOpen } from './steps.ts';

const fetchMedia = (place: Place, id: number, messageId: string, init: RequestInit = {}) =>
  place.api.fetch(`/devices/${id}/messages/${messageId}/media`, init);

const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());

const receive = async (place: Place, id: number, bytes: Uint8Array, more: object = {}): Promise<string> => {
  const body = { to: ada, documentBase64: Buffer.from(bytes).toString('base64'), ...more };
  const [messageId] = await place.phones.write(bob, body);
  const isIt = (data: { message: { id: string } }) => data.message.id === messageId;
  await untilEvent(place, id, 'message.received', isIt);
  return messageId!;
};

const untilKept = (place: Place, id: number, messageId: string) =>
  eventually('the media is kept', async () => {
    const answer = await fetchMedia(place, id, messageId, { method: 'HEAD' });
    return answer.headers.get('accept-ranges') === 'bytes';
  });

const keepMedia = async (place: Place, id: number): Promise<void> => {
  const { status, body } = await place.api.put(`/devices/${id}/settings`, { media: 'kept' });
  assert.deepEqual([status, body.settings.media], [200, 'kept'], JSON.stringify(body));
};

const filesOf = (dataDir: string, id: number): string[] => {
  try {
    return readdirSync(join(dataDir, 'media', String(id))).sort();
  } catch {
    return [];
  }
};

const metric = async (installation: Installation, name: string): Promise<number> => {
  const text = await (await fetch(`${installation.handset.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
};

describe('kept media', () => {
  let installation: Installation;
  let id: number;
  const bytes = randomBytes(1_000_003);
  let kept: string;

  before(async () => {
    installation = await startInstallation({ HANDSET_REQUEST_TIMEOUT: '3' });
    await addPhones(installation);
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  const expire = (messageId: string, deleted = false) =>
    installation.phones.request('POST', `/phones/${ada}/messages/${messageId}/expire-media`, { deleted });
  const onPhone = (messageId: string) =>
    eventually('it on the own phone, which opens the file first', async () =>
      (await installation.phones.messages(ada)).some((message) => message.id === messageId),
    );

  it('is off until it is set, and says what may be set', async () => {
    const { body } = await installation.api.get(`/devices/${id}/settings`);
    assert.equal(body.settings.media, 'network');
    const early = await receive(installation, id, randomBytes(10_000));
    const refused = await installation.api.put(`/devices/${id}/settings`, { media: 'always' });
    assert.deepEqual([refused.status, refused.body.status.message], [400, 'media must be one of network, kept']);
    await keepMedia(installation, id);
    const answer = await fetchMedia(installation, id, early, { headers: { range: 'bytes=0-9' } });
    assert.equal(answer.status, 200, 'of media with the network the whole is given');
    assert.deepEqual([answer.headers.get('accept-ranges'), (await bytesOf(answer)).length], [null, 10_000]);
  });

  it('is served when the network and the phone have the file no more, also without a session and after a restart', async () => {
    kept = await receive(installation, id, bytes, { mimetype: 'application/pdf', fileName: 'a.pdf' });
    await onPhone(kept);
    await untilKept(installation, id, kept);
    await expire(kept, true);
    const answer = await fetchMedia(installation, id, kept);
    assert.deepEqual([answer.status, answer.headers.get('content-length')], [200, '1000003']);
    assert.equal(answer.headers.get('content-type'), 'application/pdf');
    assert.deepEqual(await bytesOf(answer), bytes);
    assert.equal(await metric(installation, 'handset_media_kept_total'), 1);
    await installation.api.put(`/devices/${id}`, { subscription_status: 'inactive' });
    await installation.restart();
    assert.deepEqual(await bytesOf(await fetchMedia(installation, id, kept)), bytes, 'after a restart');
    await installation.api.put(`/devices/${id}`, { subscription_status: 'active' });
    await untilOpen(installation, id);
  });

  it('is served in parts, byte for byte', async () => {
    const { length } = bytes;
    const part = (range: string, more: Record<string, string> = {}) =>
      fetchMedia(installation, id, kept, { headers: { range, ...more } });
    const parts = [
      [0, 0],
      [0, 15],
      [15, 16],
      [16, 31],
      [1, 17],
      [262_143, 262_160],
      [999_990, 1_000_002],
    ] as const;
    const random = Array.from({ length: 12 }, () => {
      const from = Math.floor(Math.random() * length);
      return [from, from + Math.floor(Math.random() * (length - from))] as const;
    });
    for (const [from, to] of [...parts, ...random]) {
      const answer = await part(`bytes=${from}-${to}`);
      assert.equal(answer.status, 206);
      assert.equal(answer.headers.get('content-range'), `bytes ${from}-${to}/${length}`);
      assert.equal(answer.headers.get('content-length'), String(to - from + 1));
      assert.ok((await bytesOf(answer)).equals(bytes.subarray(from, to + 1)), `${from}-${to}`);
    }
    for (const [range, from] of [
      ['bytes=999000-', 999_000],
      ['bytes=-5', length - 5],
      ['bytes=-9999999', 0],
    ] as const) {
      const answer = await part(range);
      assert.equal(answer.status, 206);
      assert.ok((await bytesOf(answer)).equals(bytes.subarray(from)), range);
    }
    const behind = await part('bytes=1000003-');
    assert.deepEqual([behind.status, behind.headers.get('content-range')], [416, 'bytes */1000003']);
    assert.equal(((await behind.json()) as { status: { code: number } }).status.code, 416);
    for (const [range, more] of [
      ['bytes=0-1,5-6', {}],
      ['bytes=9-3', {}],
      ['lines=1-2', {}],
      ['bytes=0-1', { 'if-range': '"x"' }],
    ] as const) {
      const answer = await part(range, more);
      assert.deepEqual([answer.status, (await bytesOf(answer)).length], [200, length], range);
    }
    const head = await fetchMedia(installation, id, kept, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, '1000003']);
  });

  it('is fetched again by itself after a failure, and given up when nobody has it', async () => {
    await installation.phones.faults({ mediaCorrupt: true });
    const retried = (count: number) =>
      eventually('the retry', async () => (await metric(installation, 'handset_media_retried_total')) === count);
    const corrupt = await receive(installation, id, randomBytes(5_000));
    const missing = await receive(installation, id, randomBytes(5_000));
    await onPhone(missing);
    await retried(2);
    assert.equal(filesOf(installation.dataDir, id).length, 1, 'nothing of what is wrong');
    await expire(missing, true);
    await installation.phones.request('DELETE', '/faults');
    await untilKept(installation, id, corrupt);
    await eventually('the end', async () => (await metric(installation, 'handset_media_missing')) === 1);
    const { status, body } = await installation.api.get(`/devices/${id}/messages/${missing}/media`);
    assert.deepEqual([status, /neither has the phone/.test(body.status.message)], [404, true]);
  });

  it('is not served where its file was changed, and is fetched again', async () => {
    const earlier = filesOf(installation.dataDir, id);
    const sent = randomBytes(300_000);
    const changed = await receive(installation, id, sent);
    await untilKept(installation, id, changed);
    const [name] = filesOf(installation.dataDir, id).filter((file) => !earlier.includes(file));
    const path = join(installation.dataDir, 'media', String(id), name!);
    const flip = (at: number): void => {
      const file = readFileSync(path);
      file[at]! ^= 1;
      writeFileSync(path, file);
    };
    const part = (range: string) => fetchMedia(installation, id, changed, { headers: { range } });
    flip(150_000);
    assert.ok((await bytesOf(await part('bytes=9-131000'))).equals(sent.subarray(9, 131_001)), 'of pieces before it');
    const broken = await part('bytes=9-299999');
    assert.equal(broken.status, 206);
    const got: Uint8Array[] = [];
    await assert.rejects(async () => {
      for await (const chunk of broken.body!) got.push(chunk);
    });
    const start = Buffer.concat(got);
    assert.ok(start.length <= 131_072 && start.equals(sent.subarray(9, 9 + start.length)));
    await untilKept(installation, id, changed);
    assert.ok((await bytesOf(await part('bytes=149000-151000'))).equals(sent.subarray(149_000, 151_001)));
    flip(150_001);
    const whole = await part('bytes=149000-151000');
    assert.deepEqual([whole.status, (await bytesOf(whole)).equals(sent)], [200, true], 'from the network');
    await untilKept(installation, id, changed);
  });

  it('is fetched again when its file is gone', async () => {
    const earlier = filesOf(installation.dataDir, id);
    const lost = await receive(installation, id, randomBytes(3_000));
    await untilKept(installation, id, lost);
    const [file] = filesOf(installation.dataDir, id).filter((name) => !earlier.includes(name));
    rmSync(join(installation.dataDir, 'media', String(id), file!));
    const answer = await fetchMedia(installation, id, lost);
    assert.deepEqual([answer.status, answer.headers.get('accept-ranges')], [200, null], 'from the network');
    await untilKept(installation, id, lost);
  });

  it('goes with its message and with its device; what is to be viewed once is never kept', async () => {
    const picture = (
      await sharp({ create: { width: 8, height: 8, channels: 3, background: '#123' } })
        .png()
        .toBuffer()
    ).toString('base64');
    const [once] = await installation.phones.write(bob, { to: ada, imageBase64: picture, viewOnce: true });
    const revoked = await receive(installation, id, randomBytes(2_000));
    await untilKept(installation, id, revoked);
    const held = filesOf(installation.dataDir, id).length;
    await installation.phones.request('POST', `/phones/${bob}/messages/${revoked}/revoke`);
    await untilEvent(installation, id, 'message.deleted', (data: { messageId: string }) => data.messageId === revoked);
    await installation.restart();
    await eventually('the file is removed', async () => filesOf(installation.dataDir, id).length === held - 1);
    assert.equal((await fetchMedia(installation, id, once!)).status, 404);
    await untilOpen(installation, id);
    await installation.api.delete(`/devices/${id}`);
    await installation.restart();
    await eventually('all are removed', async () => filesOf(installation.dataDir, id).length === 0);
  });
});

describe('media of the history', () => {
  it('is fetched without the phone, which is asked for who downloads', async () => {
    await using installation = await startInstallation();
    const { phones, api: client } = installation;
    await addPhones(installation);
    const bytes = randomBytes(4_000);
    const documentBase64 = bytes.toString('base64');
    const [there] = await phones.write(bob, { to: ada, documentBase64 });
    const [expired] = await phones.write(bob, { to: ada, documentBase64 });
    await eventually('both on the phone', async () => (await phones.messages(ada)).length === 2);
    await phones.request('POST', `/phones/${ada}/messages/${expired}/expire-media`, { deleted: false });
    const { device } = (await client.post('/devices', {})).body;
    await client.put(`/devices/${device.id}/settings`, { media: 'kept', history: 'recent' });
    await phones.scan(ada, device.qr);
    await untilKept(installation, device.id, there!);
    await eventually('the other is missing', async () => (await metric(installation, 'handset_media_missing')) === 1);
    assert.deepEqual(await bytesOf(await fetchMedia(installation, device.id, expired!)), bytes);
    await untilKept(installation, device.id, expired!);
  });
});

describe('a process that is killed while it fetches', () => {
  it('keeps the media with its next life', async () => {
    await using mortal = await startMortal();
    await addPhones(mortal);
    const id = await linkDevice(mortal);
    await keepMedia(mortal, id);
    for (const trap of [
      { when: 'after', call: 'commit', holding: 'message.received' },
      { when: 'before', call: 'markKept' },
    ] as const) {
      await mortal.trap({ ...trap, deviceId: null });
      const bytes = randomBytes(300_000);
      const [messageId] = await mortal.phones.write(bob, { to: ada, documentBase64: bytes.toString('base64') });
      await mortal.held(1);
      await mortal.kill();
      await mortal.restart();
      await untilOpen(mortal, id);
      await untilKept(mortal, id, messageId!);
      assert.deepEqual(await bytesOf(await fetchMedia(mortal, id, messageId!)), bytes);
    }
  });
});
