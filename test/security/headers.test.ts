/** The headers that a scanner asks for are on every answer: data, pages, files, streams, refusals, and what never was a request. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Harness, startHttp } from '../http/harness.ts';
import { rawClient } from '../http/raw.ts';

const adminToken = 'an-admin-token-of-some-length-here';
const folder = mkdtempSync(join(tmpdir(), 'handset-headers-'));
let http: Harness;

before(async () => {
  mkdirSync(join(folder, 'assets'));
  for (const name of ['index.html', 'docs.html']) {
    writeFileSync(join(folder, name), '<!doctype html><title>page</title>');
  }
  writeFileSync(join(folder, 'assets', 'index-1.js'), 'export {};');
  http = await startHttp({ adminToken, dashboardFolder: folder, rateLimit: 40 });
});
after(async () => {
  await http[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const wanted: Readonly<Record<string, RegExp>> = {
  'x-content-type-options': /^nosniff$/,
  'x-frame-options': /^DENY$/,
  'referrer-policy': /^no-referrer$/,
  'cross-origin-resource-policy': /^same-origin$/,
  'cross-origin-opener-policy': /^same-origin$/,
  'permissions-policy': /camera=\(\)/,
  'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/,
  'cache-control': /^no-store$/,
  'x-request-id': /./,
};
const unwanted = ['server', 'x-powered-by', 'strict-transport-security'];

const check = (headers: Headers, name: string, except: readonly string[] = []): void => {
  for (const [header, value] of Object.entries(wanted)) {
    if (!except.includes(header)) assert.match(headers.get(header) ?? 'missing', value, `${name}: ${header}`);
  }
  // Over plain HTTP a promise of TLS is none.
  for (const header of unwanted) assert.equal(headers.get(header), null, `${name}: ${header}`);
};

const ask = async (method: string, path: string, init: RequestInit, status: number): Promise<Headers> => {
  const abort = new AbortController();
  const answer = await fetch(`${http.url}${path}`, { method, ...init, signal: abort.signal });
  assert.equal(answer.status, status, `${method} ${path}`);
  abort.abort();
  return answer.headers;
};

test('answers of every kind', async () => {
  const key = { authorization: `Bearer ${http.api.key!}` };
  const json = { ...key, 'content-type': 'application/json' };
  const id = await http.device();
  const text = `/v1/devices/${id}/messages/text`;
  const cases: readonly (readonly [number, string, string, RequestInit])[] = [
    [200, 'GET', '/v1/devices', { headers: key }],
    [200, 'GET', `/v1/devices/${id}/qr?format=png`, { headers: key }],
    [200, 'GET', '/v1/events', { headers: { ...key, accept: 'text/event-stream' } }],
    [200, 'GET', '/v1/openapi.json', { headers: key }],
    [200, 'GET', '/openapi.json', {}],
    [200, 'GET', '/docs', {}],
    [200, 'GET', '/', {}],
    [200, 'GET', '/health/live', {}],
    [200, 'GET', '/metrics', {}],
    [200, 'GET', '/admin/v1/users', { headers: { authorization: `Bearer ${adminToken}` } }],
    [400, 'POST', text, { headers: json, body: '{' }],
    [401, 'GET', '/v1/devices', {}],
    [401, 'GET', '/admin/v1/users', {}],
    [404, 'GET', '/v1/devices/999', { headers: key }],
    [404, 'GET', '/nothing', {}],
    [404, 'GET', '/assets/nothing.js', {}],
    [405, 'PATCH', '/v1/devices', { headers: key }],
    [405, 'POST', '/', {}],
    [413, 'POST', text, { headers: json, body: 'x'.repeat(1_100_000) }],
  ];
  for (const [status, method, path, init] of cases) {
    check(await ask(method, path, init, status), `${status} ${method} ${path}`);
  }
  check(await ask('GET', '/assets/index-1.js', {}, 200), 'a file', ['cache-control']);
  for (let n = 0; n < 40; n += 1) await http.api.get('/me');
  check(await ask('GET', '/v1/me', { headers: key }, 429), '429');
});

test('what never became a request', async () => {
  for (const [bytes, status] of [
    ['NONSENSE\r\n\r\n', 400],
    ['GET /v1/%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 401],
    [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 431],
  ] as const) {
    using client = await rawClient(http.port);
    client.write(bytes);
    const answer = await client.answer();
    assert.equal(answer.status, status);
    const lines = answer.head.split('\r\n').slice(1);
    check(new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string])), String(status));
  }
});
