/** Keys, limits, headers, health and metrics (docs/spec/users.md, API keys; docs/spec/http-interface.md, Limits and Endpoints). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api } from '../support/api.ts';
import { withHttp } from './harness.ts';

test(
  'keys are made, used, listed and revoked by their user',
  withHttp(async (http) => {
    const made = await http.api.post('/keys', { name: 'ci', expiresAt: '2099-01-01T00:00:00Z' });
    assert.equal(made.status, 200);
    const { secret, ...key } = made.body.key;
    assert.match(secret, /^hs_[\w-]{43}$/);
    assert.equal(key.hint, secret.slice(-4));
    assert.equal(key.expiresAt, '2099-01-01T00:00:00.000Z');
    const second = api(http.api.baseUrl, secret);
    assert.equal((await second.get('/me')).body.user.name, 'owner');
    const { keys } = (await http.api.get('/keys')).body;
    assert.deepEqual(keys.map(({ name }: { name: string }) => name).sort(), ['ci', 'test']);
    assert.ok(!JSON.stringify(keys).includes(secret));
    const { api: stranger } = await http.user('stranger');
    assert.equal((await stranger.delete(`/keys/${key.id}`)).status, 404);
    const revoked = await http.api.delete(`/keys/${key.id}`);
    assert.deepEqual(revoked.body, { status: { code: 200, message: `Key ${key.id} revoked` } });
    assert.equal((await second.get('/me')).status, 401);
    for (const id of ['abc', '0', '999999', '-1']) {
      const none = await http.api.delete(`/keys/${id}`);
      assert.deepEqual([none.status, none.body.status.message], [404, 'Key not found'], id);
    }
    const rules = [
      [{}, 'name is required'],
      [{ name: 'x', expiresAt: 'tomorrow' }, 'expiresAt must be an RFC 3339 timestamp, like 2026-07-28T09:30:00Z'],
      [{ name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt must be in the future'],
      [
        { name: 'x', expiresAt: '9999-12-31T23:59:59-14:00' },
        'expiresAt must be an RFC 3339 timestamp, like 2026-07-28T09:30:00Z',
      ],
      [{ name: 'a\0' }, 'name must be a string of 1 to 100 characters, at least one of them visible, and none U+0000'],
    ] as const;
    for (const [body, message] of rules)
      assert.equal((await http.api.post('/keys', body)).body.status.message, message);
  }),
);

test(
  'me tells limits and use, and whether it is a sandbox',
  withHttp(
    async (http) => {
      await http.device();
      const { body } = await http.api.get('/me');
      assert.deepEqual(Object.keys(body).sort(), ['key', 'service', 'status', 'user']);
      assert.deepEqual([body.user.deviceLimit, body.user.activeDevices, body.user.rateLimit], [10, 1, 100_000]);
      assert.deepEqual([body.key.devices, body.key.actions], [null, null]);
      assert.deepEqual(body.service, {
        version: '0.0.0',
        network: 'sandbox',
        sandboxControlUrl: 'http://127.0.0.1:1/sandbox',
        client: null,
        reach: { reachable: null, problem: null, checkedAt: null },
      });
    },
    { sandboxControlUrl: 'http://127.0.0.1:1/sandbox' },
  ),
);

test(
  'usage has an entry for each hour or day of its span, which is bounded',
  withHttp(async (http) => {
    const id = await http.device();
    for (const path of ['/usage', `/devices/${id}/usage`]) {
      assert.equal((await http.api.get(path)).body.usage.length, 24);
      assert.equal((await http.api.get(`${path}?by=day`)).body.usage.length, 30);
      const [noon] = (await http.api.get(`${path}?since=2026-01-01T12:30:00Z&until=2026-01-01T12:31:00Z`)).body.usage;
      assert.equal(noon.from, '2026-01-01T12:00:00.000Z');
      const rules = {
        'by=week': 'by must be hour or day',
        'since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z': 'since must not be after until',
        'since=2020-01-01T00:00:00Z': 'since and until must not be more than 1000 hours apart',
      };
      for (const [query, message] of Object.entries(rules)) {
        const { status, body } = await http.api.get(`${path}?${query}`);
        assert.deepEqual([status, body.status.message], [400, message]);
      }
    }
  }),
);

test(
  'without HANDSET_LOG_REQUESTS a request has no line in the log',
  withHttp(
    async (http) => {
      assert.equal((await http.api.get('/me')).status, 200);
      assert.equal((await http.api.get('/devices?limit=0')).status, 400);
      await http[Symbol.asyncDispose]();
      assert.deepEqual(
        http.log.filter((line) => line.includes('/v1/')),
        [],
      );
    },
    { logRequests: false },
  ),
);

test(
  'every answer has a request id, the caller’s own where it is a plain one, and it is in the log',
  withHttp(async (http) => {
    const own = await http.api.get('/me', { headers: { 'x-request-id': 'order-4711' } });
    assert.equal(own.headers.get('x-request-id'), 'order-4711');
    assert.ok(http.log.some((line) => line.includes('"requestId":"order-4711"') && line.includes('"route":"/v1/me"')));
    for (const odd of ['a b', 'x'.repeat(65), '<script>']) {
      const answer = await http.api.get('/me', { headers: { 'x-request-id': odd } });
      assert.match(answer.headers.get('x-request-id') ?? '', /^[\w-]{36}$/);
    }
    const open = api(http.url, null);
    for (const path of ['/health/live', '/metrics', '/nothing', '/v1/me', '/%zz', '/v1/%zz']) {
      const answer = await open.get(path);
      assert.match(answer.headers.get('x-request-id') ?? '', /^[\w-]{36}$/, path);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', path);
      assert.equal(answer.headers.get('cache-control'), 'no-store', path);
    }
  }),
);

test(
  'HEAD answers like GET, without the body',
  withHttp(async (http) => {
    const id = await http.device();
    for (const path of [
      '/devices',
      `/devices/${id}`,
      `/devices/${id}/qr`,
      `/devices/${id}/session`,
      '/me',
      '/openapi.json',
    ]) {
      const [get, head] = [await http.api.fetch(path), await http.api.fetch(path, { method: 'HEAD' })];
      assert.equal(head.status, 200, path);
      assert.equal(head.headers.get('content-type'), get.headers.get('content-type'));
      assert.equal(head.headers.get('content-length'), get.headers.get('content-length'));
      assert.equal((await head.arrayBuffer()).byteLength, 0);
    }
    const all = await http.api.fetch('/events', { method: 'HEAD', headers: { accept: 'text/event-stream' } });
    assert.deepEqual([all.status, all.headers.get('content-length')], [200, null], 'nobody knows how long it will be');
  }),
);

test(
  'health, readiness and metrics need no key and name no ids',
  withHttp(async (http) => {
    const open = api(http.url, null);
    const id = await http.device();
    await http.api.get(`/devices/${id}/messages/SECRETID`);
    assert.equal((await open.get('/health/live')).status, 200);
    assert.deepEqual((await open.get('/health/ready')).body, {
      status: { code: 200, message: 'Ready' },
      checks: { database: true },
    });
    http.ready = false;
    const down = await open.get('/health/ready');
    assert.deepEqual([down.status, down.body.status], [503, { code: 503, message: 'Not ready' }]);
    const metrics: string = (await open.get('/metrics')).body;
    assert.match(metrics, /handset_http_requests_total\{method="POST",route="\/v1\/devices",status="200"\} 1/);
    assert.match(
      metrics,
      /handset_http_request_duration_seconds_bucket\{le="0\.1",method="GET",route="\/v1\/devices\/:id\/messages\/:messageId"/,
    );
    assert.ok(!metrics.includes('SECRETID'));
  }),
);

test(
  'no body is needed where the interface has none, and none does harm',
  withHttp(async (http) => {
    const id = await http.linked();
    const raw = 'not json at all';
    const options = { raw, headers: { 'content-type': 'text/plain' } };
    assert.equal((await http.api.post(`/devices/${id}/disconnect`, undefined, options)).status, 200);
    assert.equal((await http.api.call('DELETE', `/devices/${id}`, undefined, options)).status, 200);
  }),
);
