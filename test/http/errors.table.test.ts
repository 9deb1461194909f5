/** Every row of the Errors table: code, shape and message (docs/spec/http-interface.md, Errors). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseLost } from '../../src/domain/lease.ts';
import { HandsetError, reasons } from '../../src/errors.ts';
import { answerTo } from '../../src/http/wire/errors.ts';
import type { Answer } from '../support/api.ts';
import { api } from '../support/api.ts';
import { type Harness, startHttp, withHttp } from './harness.ts';

const isShapeA = ({ status, headers, body }: Answer, code: number, message: string): void => {
  assert.equal(status, code);
  assert.deepEqual(body, { status: { code, message } });
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  assert.match(headers.get('x-request-id') ?? '', /^[\w-]{36}$/);
  assert.ok(Object.hasOwn(reasons, headers.get('handset-reason') ?? ''), `${code}: ${message}`);
};

const number = '4915112345678';
const text = { toNumber: number, message: 'Hello' };
const pngBytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]).toString('base64');
const image = { toNumber: number, mediaBase64: pngBytes };

const bodyRoutes = (id: number) =>
  [
    ['POST', '/devices'],
    ['PUT', `/devices/${id}`],
    ['POST', `/devices/${id}/restart`],
    ['POST', `/devices/${id}/messages/text`],
    ['POST', `/devices/${id}/messages/media`],
  ] as const;

test(
  '400: a body that is not JSON, or of another content type',
  withHttp(async (http) => {
    const id = await http.device();
    const notUtf8 = new Uint8Array([0x7b, 0xff, 0x7d]);
    for (const [method, path] of bodyRoutes(id)) {
      for (const raw of ['{', 'name=x', '{"a":1}}', "{'a':1}", notUtf8]) {
        isShapeA(await http.api.call(method, path, undefined, { raw }), 400, 'Invalid JSON format');
      }
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'json',
      ]) {
        const answer = await http.api.call(method, path, {}, { headers: { 'content-type': type } });
        // The framework refuses what is no media type at all.
        const named = `: Content-Type is "${type}"; it must be application/json`;
        const message = `Invalid JSON format${type === 'json' ? '' : named}`;
        isShapeA(answer, 400, message);
      }
      const packed = await http.api.call(method, path, {}, { headers: { 'content-encoding': 'gzip' } });
      isShapeA(packed, 400, 'Content-Encoding "gzip" is not taken; send the body uncompressed');
      for (const raw of ['null', '[]', '"text"', '5', 'true', '\uFEFF[]']) {
        const answer = await http.api.call(method, path, undefined, { raw });
        isShapeA(answer, 400, 'The request body must be a JSON object');
      }
    }
    for (const [method, path] of [bodyRoutes(id)[1], bodyRoutes(id)[3], bodyRoutes(id)[4]]) {
      isShapeA(await http.api.call(method, path), 400, 'Invalid JSON format');
    }
  }),
);

test(
  '400: an image of another format, by its bytes',
  withHttp(async (http) => {
    const id = await http.linked();
    const path = `/devices/${id}/messages/media`;
    const message = 'Invalid image format (only PNG, JPEG, GIF, WebP allowed)';
    const bmp = Buffer.from('BM1234').toString('base64');
    isShapeA(await http.api.post(path, { toNumber: number, mediaBase64: bmp }), 400, message);
    isShapeA(
      await http.api.post(path, { toNumber: number, mediaBase64: `data:image/png;base64,${bmp}` }),
      400,
      message,
    );
    isShapeA(await http.api.post(path, { toNumber: number, mediaUrl: 'https://example.com/x.bmp' }), 400, message);
  }),
);

test(
  '401: every malformed or unknown key, in shape B',
  withHttp(async (http) => {
    const unknown = `Bearer hs_${'B'.repeat(43)}`;
    const key = http.api.key ?? '';
    for (const header of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      key,
      `Basic ${key}`,
      `Bearer ${key} x`,
      'Bearer x',
      unknown,
    ]) {
      const answer = await api(http.api.baseUrl, null).get('/devices', {
        headers: header === undefined ? {} : { authorization: header },
      });
      assert.equal(answer.status, 401, String(header));
      const message = 'Missing or invalid authorization header; a Bearer token is required';
      assert.deepEqual(answer.body, { status: 'error', error: { code: 401, message } });
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      assert.ok(answer.headers.has('x-request-id'));
      assert.equal(answer.headers.get('handset-reason'), 'unauthorized');
    }
    assert.equal(
      (await api(http.api.baseUrl, null).get('/me', { headers: { authorization: `bearer ${key}` } })).status,
      200,
    );
  }),
);

const deviceRoutes = (id: number | string) =>
  [
    ['GET', `/devices/${id}`],
    ['PUT', `/devices/${id}`],
    ['DELETE', `/devices/${id}`],
    ['POST', `/devices/${id}/restart`],
    ['POST', `/devices/${id}/disconnect`],
    ['POST', `/devices/${id}/messages/text`],
    ['POST', `/devices/${id}/messages/media`],
    ['GET', `/devices/${id}/qr`],
    ['GET', `/devices/${id}/session`],
    ['GET', `/devices/${id}/messages`],
    ['GET', `/devices/${id}/messages/X`],
    ['GET', `/devices/${id}/messages/X/media`],
    ['GET', `/devices/${id}/events`],
    ['GET', `/devices/${id}/webhook`],
    ['POST', `/devices/${id}/webhook/rotate-secret`],
    ['POST', `/devices/${id}/webhook/test`],
    ['GET', `/devices/${id}/deliveries`],
    ['POST', `/devices/${id}/deliveries/retry`],
    ['POST', `/devices/${id}/deliveries/dlv_x/retry`],
    ['GET', `/devices/${id}/deliveries/dlv_x/attempts`],
  ] as const;

test(
  '404: a device that does not exist, or is another user’s, on every route',
  withHttp(async (http) => {
    const { api: stranger } = await http.user('stranger');
    const foreign = (await stranger.post('/devices')).body.device.id;
    const ids = [foreign, 999_999, 'abc', '0', '-1', '1.5', '1e3', '007', '2147483648', '9'.repeat(400), '%00'];
    for (const id of ids) {
      for (const [method, path] of deviceRoutes(id)) {
        isShapeA(await http.api.call(method, path, method === 'GET' ? undefined : {}), 404, 'Device not found');
      }
    }
    assert.equal((await stranger.get(`/devices/${foreign}`)).status, 200);
  }),
);

test(
  '404: not connected, with advice on the media variant; 422 while the pairing waits',
  withHttp(async (http) => {
    const id = await http.device();
    const scan = 'Device is not fully authenticated; scan the QR code to complete the connection';
    isShapeA(await http.api.post(`/devices/${id}/messages/text`, text), 422, scan);
    isShapeA(await http.api.post(`/devices/${id}/messages/media`, image), 422, scan);
    await http.api.put(`/devices/${id}`, { subscription_status: 'inactive' });
    isShapeA(await http.api.post(`/devices/${id}/messages/text`, text), 404, `Device ${id} is not connected`);
    const media = await http.api.post(`/devices/${id}/messages/media`, image);
    isShapeA(media, 404, `Device ${id} is not connected; restart the device or scan the QR code`);
    isShapeA(await http.api.post(`/devices/${id}/disconnect`), 404, `Device ${id} is not connected`);
  }),
);

test(
  '413: bodies over 1 MB, media over 10 MB decoded, media bodies over 15 MB',
  withHttp(async (http) => {
    const id = await http.linked();
    const large = { name: 'x'.repeat(1_048_576) };
    for (const [method, path] of bodyRoutes(id).slice(0, 4)) {
      isShapeA(await http.api.call(method, path, large), 413, 'Request payload too large');
    }
    const path = `/devices/${id}/messages/media`;
    const send = (bytes: number) =>
      http.api.post(path, { toNumber: number, mediaBase64: Buffer.alloc(bytes, 0x89).toString('base64') });
    isShapeA(await send(10_485_761), 413, 'Request payload too large');
    isShapeA(await send(12_000_000), 413, 'Request payload too large');
    // The largest that is allowed is looked at, and is no image.
    assert.equal((await send(10_485_760)).status, 400);
    const byUrl = { toNumber: number, mediaUrl: 'https://example.com/large.png' };
    isShapeA(await http.api.post(path, byUrl), 413, 'Request payload too large');
    assert.equal((await http.api.get('/me')).status, 200);
  }),
);

test(
  '500: the texts of the operations, and nothing of the inside',
  withHttp(async (http) => {
    const id = await http.linked();
    http.network.script.send = 'fail';
    isShapeA(await http.api.post(`/devices/${id}/messages/text`, text), 500, 'Failed to send message');
    isShapeA(await http.api.post(`/devices/${id}/messages/media`, image), 500, 'Failed to send media message');
    http.network.script.logout = 'fail';
    isShapeA(await http.api.post(`/devices/${id}/disconnect`), 500, `Failed to disconnect device ${id}`);
    const unlinked = await http.device();
    http.network.script.pairing = 'refused';
    isShapeA(await http.api.post(`/devices/${unlinked}/restart`), 500, `Failed to restart device ${unlinked}: refused`);
    const broken = new Error(`SQLITE_IOERR in /var/lib/handset.db for ${number}`);
    Object.assign(http.stores.devices, { list: () => Promise.reject(broken) });
    isShapeA(await http.api.get('/devices'), 500, 'Internal server error');
    const logged = http.log.join('');
    assert.ok(!logged.includes(number), 'no phone number in the log');
    assert.ok(!logged.includes('Hello'), 'no message text in the log');
    assert.ok(!logged.includes(http.api.key ?? ''), 'no key in the log');
  }),
);

test('every named error has its code, and shape B belongs to 401 alone', () => {
  const rows = [
    ['InvalidJson', 400],
    ['InvalidRequest', 400],
    ['InvalidImage', 400],
    ['Unauthorized', 401],
    ['DeviceLimitReached', 403],
    ['DeviceNotFound', 404],
    ['DeviceNotConnected', 404],
    ['RequestTimeout', 408],
    ['Conflict', 409],
    ['PayloadTooLarge', 413],
    ['DeviceNotAuthenticated', 422],
    ['RateLimited', 429],
    ['SendFailed', 500],
    ['SendMediaFailed', 500],
    ['RestartFailed', 500],
    ['DisconnectFailed', 500],
  ] as const;
  for (const [name, code] of rows) {
    const answer = answerTo(new HandsetError(name, 'said'));
    assert.equal(answer.code, code);
    const shape =
      code === 401 ? { status: 'error', error: { code, message: 'said' } } : { status: { code, message: 'said' } };
    assert.deepEqual(answer.body, shape);
  }
  const secret = answerTo(new Error('/etc/passwd at line 5'));
  assert.deepEqual(secret.body, { status: { code: 500, message: 'Internal server error' } });
  const strange = answerTo('a string');
  assert.equal(strange.code, 500);
});

test('check order: 401, 429, 404, then 400 and 413', async () => {
  await using http: Harness = await startHttp({ rateLimit: 4 });
  const bad = { raw: '{'.repeat(2_000_000) };
  const path = '/devices/999/messages/text';
  assert.equal((await api(http.api.baseUrl, null).post(path, undefined, bad)).status, 401);
  assert.equal((await http.api.post(path, undefined, bad)).status, 404);
  const id = await http.device();
  assert.equal((await http.api.post(`/devices/${id}/messages/text`, undefined, bad)).status, 413);
  assert.equal((await http.api.post(`/devices/${id}/messages/text`, undefined, { raw: '{' })).status, 400);
  assert.equal((await http.api.post(path, undefined, bad)).status, 429);
  assert.equal((await http.api.get('/no/such/route')).status, 429);
});

test(
  'unknown routes are 404 and wrong methods 405, in shape A',
  withHttp(async (http) => {
    isShapeA(await http.api.get('/nothing'), 404, 'Route not found');
    isShapeA(await http.api.get('/devices/1/nothing'), 404, 'Route not found');
    isShapeA(await api(http.url, null).get('/nothing'), 404, 'Route not found');
    assert.equal((await api(http.api.baseUrl, null).get('/nothing')).status, 401);
    const cases = [
      ['PATCH', '/devices', 'GET, HEAD, POST'],
      ['DELETE', '/devices', 'GET, HEAD, POST'],
      ['POST', '/devices/1', 'DELETE, GET, HEAD, PUT'],
      ['PROPFIND', '/devices/1', 'DELETE, GET, HEAD, PUT'],
      ['OPTIONS', '/devices/1', 'DELETE, GET, HEAD, PUT'],
      ['GET', '/devices/1/restart', 'POST'],
      ['GET', '/devices/1/messages/text', 'POST'],
      ['POST', '/keys/1', 'DELETE, PUT'],
    ] as const;
    for (const [method, path, allow] of cases) {
      const answer = await http.api.call(method, path);
      isShapeA(answer, 405, 'Method not allowed');
      assert.equal(answer.headers.get('allow'), allow);
    }
    const health = await api(http.url, null).post('/health/live', {});
    assert.deepEqual([health.status, health.headers.get('allow')], [405, 'GET, HEAD']);
  }),
);

test('503: no node has the device in time, and when to try again', () => {
  assert.deepEqual(answerTo(new LeaseLost(7)), {
    code: 503,
    body: { status: { code: 503, message: 'The device is moving to another node; try again in a few seconds' } },
    retryAfterSeconds: 5,
    reason: 'device_moving',
  });
});
