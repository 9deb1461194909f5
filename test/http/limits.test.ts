/** Rates and deadlines, and what slow clients get (docs/spec/http-interface.md, Limits and Errors). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slidingWindow } from '../../src/http/admission/rate-limit.ts';
import { manualClock } from '../support/clock.ts';
import { eventually } from '../support/wait.ts';
import { startHttp, withHttp } from './harness.ts';
import { rawClient, requestHead } from './raw.ts';

test(
  'the limit is exact across concurrent requests, and the headers say where it stands',
  withHttp(
    async ({ api, user }) => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => api.get('/devices')));
      const refused = answers.filter(({ status }) => status === 429);
      assert.equal(answers.filter(({ status }) => status === 200).length, 20);
      assert.equal(refused.length, 10);
      const left = answers
        .filter(({ status }) => status === 200)
        .map(({ headers }) => headers.get('ratelimit-remaining'));
      assert.deepEqual(
        left.map(Number).sort((a, b) => b - a),
        Array.from({ length: 20 }, (_, index) => 19 - index),
      );
      for (const { headers, body } of refused) {
        assert.deepEqual(body, {
          status: { code: 429, message: 'Rate limit exceeded; maximum 20 requests per minute per user' },
        });
        const wait = Number(headers.get('retry-after'));
        assert.ok(wait >= 1 && wait <= 60);
        assert.equal(headers.get('ratelimit-limit'), '20');
        assert.equal(headers.get('ratelimit-remaining'), '0');
        assert.equal(headers.get('ratelimit-reset'), String(wait));
      }
      const { api: other } = await user('other');
      assert.equal((await other.get('/devices')).status, 200, 'counted per user');
    },
    { rateLimit: 20 },
  ),
);

test(
  'a URL that cannot be decoded takes of the rate as any other',
  withHttp(
    async ({ api }) => {
      for (const path of ['/%zz', '/devices/%zz', '/%ff', '/devices/%c0%ae']) {
        const { status, headers } = await api.get(path);
        assert.equal(status, 400, path);
        assert.ok(headers.has('ratelimit-remaining'), path);
      }
      assert.equal((await api.get('/%zz')).status, 429);
      assert.equal((await api.get('/me')).status, 429, 'it is the same limit');
    },
    { rateLimit: 4 },
  ),
);

test('no minute, wherever it begins, sees more than the limit', async () => {
  const clock = manualClock();
  const limiter = slidingWindow(100, clock);
  const accepted: number[] = [];
  for (let step = 0; step < 3000; step += 1) {
    const verdict = limiter.take(1);
    if (verdict.allowed) accepted.push(clock.now());
    assert.ok(verdict.remaining >= 0);
    await clock.advance([0, 37, 211, 5][step % 4]!);
  }
  for (const [index, time] of accepted.entries()) {
    const inWindow = accepted.slice(index).filter((other) => other < time + 60_000).length;
    assert.ok(inWindow <= 100, `${inWindow} requests in the minute from ${time}`);
  }
  assert.ok(accepted.length >= 300);
});

test('after Retry-After seconds there is room again', async () => {
  const clock = manualClock();
  const limiter = slidingWindow(2, clock);
  limiter.take(1);
  await clock.advance(30_500);
  limiter.take(1);
  const refused = limiter.take(1);
  assert.deepEqual(refused, { allowed: false, limit: 2, remaining: 0, resetSeconds: 30 });
  await clock.advance(29_499);
  assert.equal(limiter.take(1).allowed, false);
  await clock.advance(1);
  assert.equal(limiter.take(1).allowed, true);
});

test('408: an operation that takes too long', async () => {
  await using http = await startHttp({ requestTimeoutMs: 1000 });
  http.network.script.pairing = 'nothing';
  const answer = await http.api.post('/devices');
  assert.equal(answer.status, 408);
  assert.deepEqual(answer.body, { status: { code: 408, message: 'Request timeout' } });
  await eventually('no device to remain', async () => {
    const { items } = await http.stores.devices.list(http.userId, { limit: 10, cursor: null });
    return items.length === 0;
  });
});

test('408: a body that trickles in is cut, with a well-formed answer', async () => {
  await using http = await startHttp({ requestTimeoutMs: 1000 });
  using client = await rawClient(http.port);
  const made = { userId: http.userId, name: 'one', webhookUrl: null, webhookEvents: [] };
  const { id } = await http.stores.devices.create(made, 0);
  const path = `/v1/devices/${id}/messages/text`;
  client.write(requestHead('POST', path, http.api.key!, ['Content-Type: application/json', 'Content-Length: 100']));
  client.write('{"toNumber":');
  const { status, head, body } = await client.answer();
  assert.equal(status, 408);
  assert.deepEqual(body, { status: { code: 408, message: 'Request timeout' } });
  assert.match(head, /connection: close/i);
  assert.match(head, /x-request-id: /i);
});

test('408: a head that never ends', async () => {
  await using http = await startHttp({ requestTimeoutMs: 300 });
  using client = await rawClient(http.port);
  client.write('GET /v1/devices HTTP/1.1\r\nHost: x\r\n');
  const { status, body } = await client.answer();
  assert.equal(status, 408);
  assert.deepEqual(body, { status: { code: 408, message: 'Request timeout' } });
});

test(
  'what is not HTTP gets a well-formed 400',
  withHttp(async ({ port }) => {
    using client = await rawClient(port);
    client.write('NONSENSE\r\n\r\n');
    const { status, body } = await client.answer();
    assert.equal(status, 400);
    assert.deepEqual(body, { status: { code: 400, message: 'Malformed HTTP request' } });
  }),
);

test(
  '413 at once when the length is announced; the body is not waited for',
  withHttp(async ({ api, port, device }) => {
    const id = await device();
    using client = await rawClient(port);
    const path = `/v1/devices/${id}/messages/text`;
    client.write(requestHead('POST', path, api.key!, ['Content-Type: application/json', 'Content-Length: 9000000']));
    const text = await client.until('Request payload too large');
    assert.match(text, /^HTTP\/1\.1 413 /);
  }),
);

test(
  '413 while reading when it is not, and the connection goes on',
  withHttp(async ({ api, port, device }) => {
    const id = await device();
    using client = await rawClient(port);
    const path = `/v1/devices/${id}/messages/text`;
    client.write(requestHead('POST', path, api.key!, ['Content-Type: application/json', 'Transfer-Encoding: chunked']));
    const chunk = 'x'.repeat(0x10000);
    for (let count = 0; count < 40; count += 1) client.write(`10000\r\n${chunk}\r\n`);
    await client.until('Request payload too large');
    client.write('0\r\n\r\n');
    client.write(requestHead('GET', '/v1/devices', api.key!, []));
    await client.until('"devices":[');
  }),
);

test(
  'Expect: 100-continue is answered once the body is wanted',
  withHttp(async ({ api, port, linked }) => {
    const id = await linked();
    const body = JSON.stringify({ toNumber: '4915112345678', message: 'Hello' });
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`, 'Expect: 100-continue'];
    using wanted = await rawClient(port);
    wanted.write(requestHead('POST', `/v1/devices/${id}/messages/text`, api.key!, headers));
    await wanted.until('HTTP/1.1 100 Continue');
    wanted.write(body);
    await wanted.until('"status":"success"');
    // A body that is never asked for ends the connection, and the answer says so.
    for (const [path, code] of [
      ['/v1/devices/999/messages/text', 404],
      ['/v1/nothing', 404],
      ['/v1/devices/%zz', 400],
      ['/%zz', 400],
    ] as const) {
      using unwanted = await rawClient(port);
      unwanted.write(requestHead('POST', path, api.key!, headers));
      const { status, head } = await unwanted.answer();
      assert.equal(status, code);
      assert.match(head, /\r\nconnection: close/i, path);
    }
  }),
);

test(
  'a connection carries many requests',
  withHttp(async ({ api, port }) => {
    using client = await rawClient(port);
    const get = requestHead('GET', '/v1/me', api.key!, []);
    client.write(get + get + get);
    let text = '';
    while (text.split('HTTP/1.1 200').length < 4) text = await client.until('"rateLimit"');
    assert.ok(!client.socket.closed);
  }),
);

test(
  'what Node would refuse by itself is answered by us',
  withHttp(async ({ port, api }) => {
    const key = `Authorization: Bearer ${api.key}`;
    using nameless = await rawClient(port);
    nameless.write(['GET /v1/me HTTP/1.1', key, 'Connection: close', '', ''].join('\r\n'));
    const { status, head, body } = await nameless.answer();
    assert.deepEqual([status, body], [400, { status: { code: 400, message: 'Host is missing' } }]);
    assert.match(head, /x-request-id: /i);

    // RFC 9112, section 3.2: more than one Host is refused, for two programs may each take another one.
    for (const [path, version, second] of [
      ['/v1/me', '1.1', 'Host: elsewhere'],
      ['/v1/me', '1.0', 'HOST: test'],
      ['/v1/%zz', '1.1', 'hOsT: test'],
      ['/health/live', '1.1', 'Host:'],
    ] as const) {
      using twice = await rawClient(port);
      const lines = [`GET ${path} HTTP/${version}`, 'Host: test', key, second, 'Connection: close', '', ''];
      twice.write(lines.join('\r\n'));
      const refused = await twice.answer();
      const message = 'Host is there twice; send it once';
      assert.deepEqual([refused.status, refused.body], [400, { status: { code: 400, message } }], path);
    }

    using old = await rawClient(port);
    old.write(['GET /v1/me HTTP/1.0', key, '', ''].join('\r\n'));
    assert.equal((await old.answer()).status, 200);

    using demanding = await rawClient(port);
    demanding.write(requestHead('POST', '/v1/devices', api.key!, ['Expect: miracles', 'Content-Length: 1']));
    demanding.write('{');
    assert.match(await demanding.until('Invalid JSON format'), /^HTTP\/1\.1 400 /);
  }),
);
