/** Files that have no public URL, as people wanted to send them. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import sharp from 'sharp';
import { bob, type Rig, startRig } from '../flows/say/rig.ts';
import { linkDevice } from '../flows/steps.ts';
import { rawClient, requestHead } from '../http/raw.ts';
import { startHttp } from '../http/harness.ts';
import type { Answer, Api } from '../support/api.ts';
import { manualClock } from '../support/clock.ts';
import { sample } from '../support/media.ts';
import { eventually } from '../support/wait.ts';

const mb = 1_048_576;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const withReason = ({ status, body, headers }: Answer) => [status, body.status.message, headers.get('handset-reason')];

const upload = (to: Api, id: number, bytes: Uint8Array<ArrayBuffer>, type = 'application/octet-stream') =>
  to.post(`/devices/${id}/files`, undefined, { raw: bytes, headers: { 'content-type': type } });

/** Files without a name that this process has open in the folder. */
const openFiles = async (folder: string): Promise<number> => {
  const names = await readdir('/proc/self/fd');
  const links = await Promise.all(names.map((name) => readlink(join('/proc/self/fd', name)).catch(() => '')));
  return links.filter((link) => link.startsWith(folder)).length;
};

describe('files without a public URL', () => {
  let rig: Rig;
  let http: Api;
  before(async () => {
    rig = await startRig({ HANDSET_MAX_MEDIA_MB: '60' });
    http = rig.installation.api;
  });
  after(() => rig?.[Symbol.asyncDispose]());
  const linkOther = async (number: string): Promise<number> => {
    await rig.installation.phones.add(number, 'Dan');
    return linkDevice(rig.installation, number);
  };

  it('a file of 50 MB arrives byte for byte', async () => {
    const bytes = randomBytes(50 * mb);
    const { status, body } = await upload(http, rig.id, bytes);
    assert.equal(status, 200, JSON.stringify(body));
    assert.partialDeepStrictEqual(body.file, { bytes: bytes.length, mimetype: 'application/octet-stream' });
    const left = Date.parse(body.file.expiresAt) - Date.now();
    assert.ok(left > 3_500_000 && left <= 3_600_000);
    const media = { bytes: bytes.length, sha256: sha256(bytes), fileName: 'backup.bin' };
    const id = await rig.send('document', { toNumber: bob, fileId: body.file.id, fileName: 'backup.bin' });
    assert.partialDeepStrictEqual(await rig.shown(bob, id), { media });
  });

  it('a form with a file is an upload, and gives the file its name', async () => {
    const form = new FormData();
    form.set('note', 'nobody reads this');
    form.set('file', new Blob(['%PDF-1.5\n1 0 obj\nendobj\n'], { type: 'application/pdf' }), '../../Größe.pdf');
    const answer = await http.fetch(`/devices/${rig.id}/files`, { method: 'POST', body: form });
    const { file } = (await answer.json()) as Answer['body'];
    assert.deepEqual([answer.status, file.mimetype], [200, 'application/pdf']);
    for (let time = 0; time < 2; time += 1) {
      const id = await rig.send('document', { toNumber: bob, fileId: file.id });
      assert.partialDeepStrictEqual(await rig.shown(bob, id), { media: { fileName: 'Größe.pdf' } });
    }
  });

  it('every kind of file is sent by its id', async () => {
    const png = await sharp({ create: { width: 40, height: 40, channels: 3, background: '#080' } })
      .png()
      .toBuffer();
    const kinds = [
      ['media', new Uint8Array(png)],
      ['sticker', new Uint8Array(png)],
      ['video', new Uint8Array(sample('video.mp4'))],
      ['audio', new Uint8Array(sample('audio.mp3'))],
    ] as const;
    for (const [kind, bytes] of kinds) {
      const { body } = await upload(http, rig.id, bytes);
      const id = await rig.send(kind, { toNumber: bob, fileId: body.file.id });
      const type = kind === 'media' ? 'image' : kind;
      await rig.until(bob, id, (message) => JSON.stringify(message).includes(`"${type}`));
    }
  });

  it('a file that is not there, any more or for this device, is a 400 in words', async () => {
    const { body } = await upload(http, rig.id, Buffer.from('hers'));
    const other = await linkOther('4915550004444');
    const send = (device: number, fileId: string) =>
      http.post(`/devices/${device}/messages/document`, { toNumber: bob, fileId });
    for (const answer of [await send(other, body.file.id), await send(rig.id, 'file_nobody')]) {
      const [status, words, reason] = withReason(answer);
      assert.deepEqual([status, reason], [400, 'file_unknown']);
      assert.match(String(words), /^fileId is not known: an uploaded file is kept for an hour.*upload it again$/);
    }
    const both = await rig.refusal('POST', '/document', { toNumber: bob, fileId: body.file.id, mediaBase64: 'aGk=' });
    assert.deepEqual(both, [400, 'Exactly one of mediaUrl, mediaBase64 and fileId must be given, not more']);
    assert.equal((await rig.call('POST', '/document', { toNumber: bob, fileId: 7 })).status, 400);
  });

  it('a repeat under the same key needs the file no more, and a deleted device leaves none', async () => {
    const other = await linkOther('4915550005555');
    const folder = join(rig.installation.dataDir, 'uploads');
    const opened = await openFiles(folder);
    const { body } = await upload(http, other, Buffer.from('once'));
    assert.equal(await openFiles(folder), opened + 1);
    assert.deepEqual(await readdir(folder), [], 'no name');
    const message = { toNumber: bob, fileId: body.file.id };
    const path = `/devices/${other}/messages/document`;
    const headers = { 'idempotency-key': 'once' };
    const first = await http.post(path, message, { headers });
    assert.equal(first.status, 200);
    assert.equal((await http.post(path, message, { headers })).body.messageId, first.body.messageId);
    await http.delete(`/devices/${other}`);
    await eventually('nothing is left', async () => (await openFiles(folder)) === opened);
  });

  it('what is no upload is refused in words, and leaves nothing', async () => {
    const folder = join(rig.installation.dataDir, 'uploads');
    const opened = await openFiles(folder);
    const form = (text: string) =>
      http.post(`/devices/${rig.id}/files`, undefined, {
        raw: text.replaceAll('\n', '\r\n'),
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      });
    const part = '--x\nContent-Disposition: form-data; name="file"; filename="a"\n\nabc\n';
    assert.deepEqual(withReason(await upload(http, rig.id, new Uint8Array())).slice(0, 2), [
      400,
      'The file is empty: the body has no bytes',
    ]);
    assert.match(String(withReason(await form('--x--\n'))[1]), /^The form has no file/);
    assert.match(String(withReason(await form(`${part}${part}--x--\n`))[1]), /more than one file/);
    assert.match(String(withReason(await form(part))[1]), /^The form is broken or ends too early/);
    const field = `--x\nContent-Disposition: form-data; name="a"\n\n${'a'.repeat(62 * mb)}\n`;
    assert.equal((await form(`${field}${part}--x--\n`)).status, 413);
    const noBoundary = await upload(http, rig.id, Buffer.from('x'), 'multipart/form-data');
    assert.match(String(withReason(noBoundary)[1]), /^Content-Type is not that of a form with a file/);
    assert.equal((await upload(http, rig.id, new Uint8Array(60 * mb + 1))).status, 413);
    assert.equal((await upload(http, 999_999, Buffer.from('x'))).status, 404);
    assert.equal(await openFiles(folder), opened);
  });

  it('a cancelled upload leaves nothing', async () => {
    const folder = join(rig.installation.dataDir, 'uploads');
    const opened = await openFiles(folder);
    const { hostname, port } = new URL(rig.installation.handset.url);
    assert.equal(hostname, '127.0.0.1');
    for (const type of ['application/octet-stream', 'multipart/form-data; boundary=x']) {
      using client = await rawClient(Number(port));
      const headers = [`Content-Type: ${type}`, `Content-Length: ${20 * mb}`];
      client.write(requestHead('POST', `/v1/devices/${rig.id}/files`, http.key!, headers));
      client.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
      client.write(new Uint8Array(5 * mb));
      await eventually('it comes in', async () => (await openFiles(folder)) === opened + 1);
      client.socket.destroy();
      await eventually('nothing is left', async () => (await openFiles(folder)) === opened);
    }
  });
});

test("another user's file is a 400, and so is one that is over an hour old", async () => {
  const clock = manualClock(Date.now());
  await using http = await startHttp({ clock });
  const id = await http.linked();
  const { body } = await upload(http.api, id, Buffer.from('mine'));
  const { api: other } = await http.user('other');
  const { body: made } = await other.post('/devices');
  const message = { toNumber: '4917000000001', fileId: body.file.id };
  const stolen = await other.post(`/devices/${made.device.id}/messages/document`, message);
  assert.equal(withReason(stolen)[2], 'file_unknown');
  const send = () => http.api.post(`/devices/${id}/messages/document`, message);
  assert.equal((await send()).status, 200);
  await clock.advance(3_600_001);
  assert.deepEqual([(await send()).status, withReason(await send())[2]], [400, 'file_unknown']);
});

test('a user keeps no more than the budget, and another user has a budget of their own', async () => {
  const clock = manualClock(Date.now());
  await using http = await startHttp({ clock });
  const id = await http.linked();
  const megabyte = new Uint8Array(mb).fill(1);
  for (let n = 0; n < 5; n += 1) assert.equal((await upload(http.api, id, megabyte)).status, 200);
  await clock.advance(600_000);
  const refused = await upload(http.api, id, Buffer.from('x'));
  assert.equal(refused.status, 429);
  assert.deepEqual(withReason(refused).slice(1), [
    'Upload limit reached: up to 64 files of 5 MB in total are kept for a user, each for an hour',
    'upload_budget_exceeded',
  ]);
  assert.equal(refused.headers.get('retry-after'), '3000');
  const { api: other } = await http.user('other');
  const { body } = await other.post('/devices');
  for (let n = 0; n < 64; n += 1) assert.equal((await upload(other, body.device.id, Buffer.from('x'))).status, 200);
  assert.equal((await upload(other, body.device.id, Buffer.from('x'))).status, 429);
  await clock.advance(3_000_001);
  assert.equal((await upload(http.api, id, megabyte)).status, 200);
});

describe('a slow line', () => {
  /** Sends a body in equal parts, one each ten seconds of the clock. */
  const sendSlowly = async (path: string, type: string, body: Buffer, partBytes: number) => {
    const clock = manualClock(Date.now());
    await using http = await startHttp({ clock, requestTimeoutMs: 30_000 });
    const id = await http.linked();
    const sockets: Socket[] = [];
    http.server.server.on('connection', (socket) => sockets.push(socket));
    using client = await rawClient(http.port);
    const headers = [`Content-Type: ${type}`, `Content-Length: ${body.length}`, 'Connection: close'];
    client.write(requestHead('POST', `/v1/devices/${id}${path}`, http.api.key!, headers));
    let seconds = 0;
    for (let at = 0; at < body.length && !client.socket.closed; at += partBytes) {
      client.write(body.subarray(at, at + partBytes));
      await eventually('it is read', () => sockets.at(-1)?.bytesRead === client.socket.bytesWritten);
      if (at + partBytes >= body.length) break;
      await clock.advance(10_000);
      seconds += 10;
    }
    return { seconds, answer: await client.answer() };
  };

  it('an upload takes as long as it comes with the least rate', async () => {
    const { seconds, answer } = await sendSlowly('/files', 'application/pdf', Buffer.alloc(mb, 1), 330_000);
    assert.ok(seconds >= 30);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  });

  it('9.5 MB in base64 do not end in 408', async () => {
    const image = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.alloc(9_500_000)]).toString('base64');
    const body = Buffer.from(JSON.stringify({ toNumber: '4917000000001', mediaBase64: image }));
    const { seconds, answer } = await sendSlowly('/messages/media', 'application/json', body, 1_000_000);
    assert.ok(seconds >= 120);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  });

  it('a body that drips is ended', async () => {
    const { seconds, answer } = await sendSlowly('/files', 'application/pdf', Buffer.alloc(mb, 1), 300_000);
    assert.ok(seconds <= 20);
    assert.deepEqual(
      [answer.status, answer.body.status.message],
      [408, 'The body comes too slowly; at least 32 kB a second are needed'],
    );
  });
});
