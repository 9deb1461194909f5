/** The cookie of the dashboard: what it opens, from where, and when it ends. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Harness, withHttp } from '../http/harness.ts';
import { rawClient, requestHead } from '../http/raw.ts';

const page = { 'handset-dashboard': '1' };

interface SignedIn {
  readonly cookie: string;
  readonly set: string;
  readonly keyId: number;
}

const newKey = async ({ service, userId }: Harness): Promise<string> =>
  (await service.users.createKey(userId, { name: 'of a person', expiresAt: null })).secret;

const signIn = async (http: Harness, query = '', secret: string | null = null): Promise<SignedIn> => {
  const headers = { authorization: `Bearer ${secret ?? (await newKey(http))}` };
  const answer = await fetch(`${http.url}/session${query}`, { method: 'POST', headers });
  assert.equal(answer.status, 200);
  const set = answer.headers.get('set-cookie') ?? '';
  const { session } = (await answer.json()) as { session: { keyId: number } };
  return { cookie: set.split(';')[0]!, set, keyId: session.keyId };
};

const ask = (http: Harness, path: string, headers: Record<string, string>, method = 'GET') =>
  fetch(http.url + path, { method, headers });

const statusOf = async (http: Harness, headers: Record<string, string>, path = '/v1/me') =>
  (await ask(http, path, headers)).status;

test(
  'a key is exchanged for a cookie that no script reads and no other site sends',
  withHttp(async (http) => {
    const { cookie, set } = await signIn(http);
    assert.match(set, /^handset-\d+=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.equal(await statusOf(http, { cookie, ...page }), 200);
    const stay = await signIn(http, '?stay=true');
    assert.match(stay.set, /; Max-Age=2592000$/);
    for (const wrong of [{}, { authorization: 'Bearer hs_wrong' }, { cookie, ...page }] satisfies Record<
      string,
      string
    >[]) {
      assert.equal((await ask(http, '/session', wrong, 'POST')).status, 401);
    }
    assert.equal((await ask(http, '/session', {})).status, 405);
  }),
);

test(
  'below https the cookie is for https and this host alone',
  withHttp(
    async (http) => {
      const { set, cookie } = await signIn(http);
      assert.match(set, /^__Host-handset-\d+=.*; Path=\/; .*; Secure$/);
      assert.equal(await statusOf(http, { cookie, ...page }), 200);
      const plain = cookie.replace('__Host-', '');
      assert.equal(await statusOf(http, { cookie: plain, ...page }), 401, 'one that a neighbour could have set');
    },
    { publicUrl: 'https://handset.example' },
  ),
);

test(
  'the cookie alone opens nothing: not without the header, from another site, as a key, or for the operator',
  withHttp(
    async (http) => {
      const { cookie } = await signIn(http);
      const token = cookie.split('=')[1]!;
      for (const [why, headers] of Object.entries<Record<string, string>>({
        'no header': { cookie },
        'another value': { cookie, 'handset-dashboard': '0' },
        'a page of the same site': { cookie, ...page, 'sec-fetch-site': 'same-site' },
        'a page of another site': { cookie, ...page, 'sec-fetch-site': 'cross-site' },
        'beside a wrong key': { cookie, ...page, authorization: 'Bearer hs_wrong' },
        'as a key': { authorization: `Bearer ${token}` },
        'as a key, marked': { authorization: `Bearer session ${token}` },
        'another cookie': { cookie: `other=${token}`, ...page },
        'a long one': { cookie: `${cookie}${'A'.repeat(4000)}`, ...page },
      })) {
        assert.equal(await statusOf(http, headers), 401, why);
      }
      assert.equal(await statusOf(http, { cookie, ...page }, '/admin/v1/users'), 401);
      const device = await http.device();
      const path = `/v1/devices/${device}/passkey/response`;
      const preflight = await ask(http, path, { origin: 'https://web.whatsapp.com' }, 'OPTIONS');
      assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization, content-type');
      for (const url of ['/v1/me', '/session', path]) {
        const { headers } = await ask(http, url, { origin: 'https://evil.example', cookie, ...page });
        assert.equal(headers.get('access-control-allow-credentials'), null);
      }
    },
    { adminToken: 'an-admin-token-of-some-length-here' },
  ),
);

test(
  'a sign-in ends with the sign-out, and with its key',
  withHttp(async (http) => {
    const [first, second] = [await signIn(http), await signIn(http)];
    const end = await ask(http, '/session', { cookie: first.cookie, ...page }, 'DELETE');
    assert.equal(end.status, 200);
    assert.match(end.headers.get('set-cookie') ?? '', /=; Path=\/; .*; Max-Age=0$/);
    assert.equal(await statusOf(http, { cookie: first.cookie, ...page }), 401);
    const forged = await ask(http, '/session', { cookie: second.cookie }, 'DELETE');
    assert.equal(forged.status, 401, 'no other page signs anybody out');
    assert.equal(await statusOf(http, { cookie: second.cookie, ...page }), 200);
    await http.service.users.revokeKey(http.userId, second.keyId);
    assert.equal(await statusOf(http, { cookie: second.cookie, ...page }), 401);
  }),
);

test(
  'a snapshot has what the caller may read, and nothing else',
  withHttp(async (http) => {
    const device = await http.device();
    const { cookie } = await signIn(http);
    const snapshot = (paths: readonly string[], headers: Record<string, string> = { cookie, ...page }) =>
      ask(http, `/session/snapshot?${paths.map((path) => `of=${encodeURIComponent(path)}`).join('&')}`, headers);
    const answersOf = async (response: Promise<Response>): Promise<Record<string, unknown>> => {
      const told = await response;
      assert.equal(told.status, 200);
      return ((await told.json()) as { answers: Record<string, unknown> }).answers;
    };
    const paths = ['/v1/me', `/v1/devices/${device}/session`, `/v1/devices/${device}/chats?limit=5`];
    const answers = await answersOf(snapshot(paths));
    assert.deepEqual(Object.keys(answers), paths);
    for (const path of paths)
      assert.deepEqual(answers[path], await (await ask(http, path, { cookie, ...page })).json(), path);
    assert.equal((await snapshot(paths)).headers.get('ratelimit-limit'), '100000');
    assert.deepEqual(Object.keys(await answersOf(snapshot(['/v1/devices/999/session', '/v1/devices']))), [
      '/v1/devices',
    ]);
    const limits = { name: 'for nothing', expiresAt: null, devices: [], actions: ['send'] } as const;
    const { secret } = await http.service.users.createKey(http.userId, limits);
    const limited = await answersOf(snapshot(paths, { authorization: `Bearer ${secret}` }));
    assert.deepEqual(Object.keys(limited), ['/v1/me']);
    assert.equal((await snapshot(paths, { cookie })).status, 401, 'from another page');
    for (const wrong of [
      '/v1/events',
      '/metrics',
      '/admin/v1/users',
      '/v1/../metrics',
      '/session',
      '/v1/keys',
      '//x/v1/me',
    ])
      assert.equal((await snapshot([wrong])).status, 400, wrong);
    for (const count of [0, 9]) assert.equal((await snapshot(Array<string>(count).fill('/v1/me'))).status, 400);
    assert.equal((await ask(http, '/session/snapshot', { cookie, ...page }, 'POST')).status, 405);
    const get = (...headers: string[]) => requestHead('GET', '/session/snapshot?of=/v1/me', secret, headers);
    using raw = await rawClient(Number(new URL(http.url).port));
    raw.write(get() + get('Connection: close'));
    assert.deepEqual(
      [...(await raw.closed()).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code),
      ['200', '503'],
    );
  }),
);

test(
  'the store has no token, and keeps the newest hundred sign-ins of a key',
  withHttp(async (http) => {
    const secret = await newKey(http);
    const { cookie } = await signIn(http, '', secret);
    const token = cookie.split('=')[1]!;
    for (const name of readdirSync(http.dataDir)) {
      if (/\.db/.test(name)) assert.equal(readFileSync(`${http.dataDir}/${name}`).includes(token), false, name);
    }
    for (let n = 0; n < 100; n += 1) await signIn(http, '?stay=true', secret);
    assert.equal(await statusOf(http, { cookie, ...page }), 401);
  }),
);

test(
  'signed-in browsers have a budget of their own, which neither takes from the keys nor is taken by them',
  withHttp(
    async (http) => {
      const { cookie } = await signIn(http);
      for (let n = 0; n < 12; n += 1) assert.equal(await statusOf(http, { cookie, ...page }), 200);
      const first = await http.api.get('/me');
      assert.equal(first.headers.get('ratelimit-remaining'), '4');
      for (let n = 0; n < 4; n += 1) await http.api.get('/me');
      assert.equal((await http.api.get('/me')).status, 429);
      const answer = await ask(http, '/v1/me', { cookie, ...page });
      assert.equal(answer.status, 200);
      const told = ['limit', 'remaining'].map((name) => answer.headers.get(`ratelimit-${name}`));
      assert.deepEqual(told, ['5', '0'], 'where the keys stand');
    },
    { rateLimit: 5 },
  ),
);
