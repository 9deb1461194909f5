/** The media host: TLS, uploads that must match their token, downloads in whole and in part. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { Agent, request } from 'undici';
import { MediaAuths, byteRange, noMediaFaults, startMediaHost } from '../../sandbox/src/media/host.ts';
import { Blobs } from '../../sandbox/src/media/blobs.ts';
import { certificatesFor } from '../../sandbox/src/media/certificates.ts';
import { decryptMedia, encryptMedia, uploadToken } from '../../sandbox/src/media/cipher.ts';
import { eventually } from '../support/wait.ts';

const start = async () => {
  const blobs = await Blobs.open({ directory: null, capacity: 30_000_000 });
  const auths = new MediaAuths();
  const auth = auths.issue();
  const host = await startMediaHost({
    blobs,
    auths,
    certificates: await certificatesFor('127.0.0.1'),
    address: '127.0.0.1',
    port: 0,
  });
  const dispatcher = new Agent({ connect: { ca: host.ca } });
  return {
    host,
    auths,
    auth,
    blobs,
    dispatcher,
    upload: (token: string, body: Buffer, query = `auth=${auth}&token=${token}`, kind = 'image') =>
      request(`https://${host.host}/mms/${kind}/${token}?${query}`, { method: 'POST', body, dispatcher }),
    get: (path: string, headers: Record<string, string> = {}) =>
      request(`https://${host.host}${path}`, { headers, dispatcher }),
    async [Symbol.asyncDispose]() {
      await dispatcher.close();
      await host.close();
      await blobs.close();
    },
  };
};

test('an upload of 12 MB comes back whole, and in ranges', async () => {
  await using place = await start();
  const file = encryptMedia(randomBytes(12_000_000), 'image');
  const token = uploadToken(file.fileEncSha256);
  const answer = await place.upload(token, file.body);
  assert.equal(answer.statusCode, 200);
  const { url, direct_path: path } = JSON.parse(await answer.body.text());
  assert.equal(url, `https://${place.host.host}${path}`);
  const whole = await place.get(path);
  assert.deepEqual(Buffer.from(await whole.body.arrayBuffer()), file.body);
  const part = await place.get(path, { range: 'bytes=16-31' });
  assert.equal(part.statusCode, 206);
  assert.equal(part.headers['content-range'], `bytes 16-31/${file.body.length}`);
  assert.deepEqual(Buffer.from(await part.body.arrayBuffer()), file.body.subarray(16, 32));
  const beyond = await place.get(path, { range: `bytes=${file.body.length}-` });
  assert.equal(beyond.statusCode, 416);
  await beyond.body.dump();
});

test('an upload that is not what its token says is refused, and nothing is kept', async () => {
  await using place = await start();
  const token = createHash('sha256').update('other').digest('base64url');
  const answer = await place.upload(token, Buffer.from('this'));
  assert.equal(answer.statusCode, 400);
  assert.match(JSON.parse(await answer.body.text()).error, /SHA-256/);
  assert.equal((await place.get(place.host.directPath(token))).statusCode, 404);
  const anonymous = await place.upload(token, Buffer.from('other'), `token=${token}`);
  assert.equal(anonymous.statusCode, 401);
  await anonymous.body.dump();
});

test('nobody trusts it without its authority', async () => {
  await using place = await start();
  await assert.rejects(request(`https://${place.host.host}/`), /self-signed|unable to verify|certificate/i);
});

test('it fails as it is told to', async () => {
  await using place = await start();
  place.host.setFaults({ ...noMediaFaults, status: 503 });
  assert.equal((await place.get('/v/x')).statusCode, 503);
  place.host.setFaults(noMediaFaults);
  assert.equal((await place.get('/v/x')).statusCode, 404);
});

test('the oldest files go when there is no room', async () => {
  await using place = await start();
  const tokens: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    const body = randomBytes(10_000_000);
    tokens.push(createHash('sha256').update(body).digest('base64url'));
    await place.blobs.put(tokens.at(-1)!, body);
  }
  assert.deepEqual(
    tokens.map((token) => place.blobs.size(token)),
    [null, 10_000_000, 10_000_000, 10_000_000],
  );
});

test('decryption, in pieces of any length, names what is wrong', async () => {
  const plain = randomBytes(1_000);
  const { body, ...claims } = encryptMedia(plain, 'image');
  const opened = async (bytes: Buffer, pieceLength: number, more: Partial<typeof claims & { kind: 'video' }> = {}) => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += pieceLength) pieces.push(bytes.subarray(at, at + pieceLength));
    const found: Buffer[] = [];
    const { kind = 'image', ...rest } = more;
    const of = { ...claims, ...rest };
    await decryptMedia(Readable.from(pieces), bytes.length, kind, of, (piece) => void found.push(piece));
    return Buffer.concat(found);
  };
  for (const pieceLength of [1, 9, 10, 11, 333, 2_000]) assert.deepEqual(await opened(body, pieceLength), plain);
  await assert.rejects(opened(Buffer.concat([body, body]), 100), /MAC/);
  await assert.rejects(opened(body.subarray(0, 9), 100), /MAC/);
  await assert.rejects(opened(body, 100, { kind: 'video' }), /MAC/);
  await assert.rejects(opened(body, 100, { fileSha256: randomBytes(32) }), /fileSha256/);
});

test('ranges are clipped to the file', () => {
  assert.equal(byteRange(undefined, 10), null);
  assert.deepEqual(byteRange('bytes=2-', 10), [2, 9]);
  assert.deepEqual(byteRange('bytes=2-99', 10), [2, 9]);
  assert.deepEqual(byteRange('bytes=-3', 10), [7, 9]);
  assert.equal(byteRange('bytes=10-', 10), 'invalid');
  assert.equal(byteRange('bytes=-', 10), null);
});

test('a host takes each kind of media, and refuses what is none', async () => {
  await using place = await start();
  for (const kind of ['image', 'video', 'audio', 'document', 'md-app-state']) {
    const file = encryptMedia(randomBytes(100), 'image');
    const answer = await place.upload(uploadToken(file.fileEncSha256), file.body, undefined, kind);
    assert.equal(answer.statusCode, 200, kind);
    await answer.body.dump();
  }
  const file = encryptMedia(randomBytes(100), 'image');
  const token = uploadToken(file.fileEncSha256);
  const refused = await place.upload(token, file.body, undefined, 'film');
  assert.equal(refused.statusCode, 400);
  assert.match(JSON.parse(await refused.body.text()).error, /film is no kind of media/);
  assert.equal(place.blobs.size(token), null);
});

test('an upload that breaks off is resumed at the other host, and an authorization that has expired is refused', async () => {
  await using place = await start();
  const { body, fileEncSha256 } = encryptMedia(randomBytes(900_000), 'document');
  const token = uploadToken(fileEncSha256);
  const query = (more: string) => `auth=${place.auth}&token=${token}${more}`;
  const ask = async (host: string, more: string, bytes: Uint8Array = new Uint8Array()) => {
    const url = `https://${host}/mms/document/${token}?${query(more)}`;
    const answer = await request(url, { method: 'POST', body: bytes, dispatcher: place.dispatcher });
    return [answer.statusCode, JSON.parse(await answer.body.text())] as const;
  };
  const { host, fallback } = place.host;
  place.host.setFaults({ ...noMediaFaults, breakUploads: { afterBytes: 300_000, host: 'primary' } });
  assert.deepEqual(await ask(fallback, '&resume=1'), [200, { resume: '0' }]);
  await assert.rejects(ask(host, '', body));
  await eventually('what came is kept', () => place.blobs.partial(token) === 300_000);
  assert.deepEqual(await ask(fallback, '&resume=1'), [200, { resume: '300000' }]);
  assert.equal((await ask(fallback, '&file_offset=5', body.subarray(5)))[0], 400);
  assert.equal((await ask(fallback, '&file_offset=300000', body.subarray(300_000)))[0], 200);
  const [, done] = await ask(fallback, '&resume=1');
  assert.partialDeepStrictEqual(done, { resume: 'complete', direct_path: place.host.directPath(token) });
  assert.equal(Buffer.compare(Buffer.concat(await place.blobs.stream(token, 0, body.length).toArray()), body), 0);
  place.auths.expireAll();
  assert.equal((await ask(fallback, '&resume=1'))[0], 401);
});
