/** Failed authentications are limited per address, exactly, and lock nobody else out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessLimit, networkOf, slidingWindow } from '../../src/http/admission/rate-limit.ts';
import type { Harness } from '../http/harness.ts';
import { withHttp } from '../http/harness.ts';
import { api } from '../support/api.ts';
import { manualClock } from '../support/clock.ts';

const adminToken = 'an-admin-token-of-some-length-here';
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const guess = (http: Harness, path = '/v1', key: string | null = `hs_${'B'.repeat(43)}`) =>
  api(`${http.url}${path}`, key);

test(
  'after too many failures an address gets 429 until the minute is over, by whatever door it comes',
  withHttp(
    async (http) => {
      const wrong = [guess(http), guess(http, '/v1', null), guess(http, '/admin/v1', 'no'), guess(http, '/v1/x')];
      for (const [count, client] of wrong.entries()) {
        const { status, headers } = await client.get('/devices', from('203.0.113.7'));
        assert.equal(status, 401, client.baseUrl);
        if (client.baseUrl.includes('/admin/')) continue;
        assert.deepEqual(
          [headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')],
          ['5', String(4 - count)],
        );
        assert.match(headers.get('ratelimit-reset') ?? '', /^(60|5\d)$/);
      }
      assert.equal((await guess(http).get('/nowhere', from('203.0.113.7'))).status, 401);
      for (const client of wrong) {
        const { status, headers, body } = await client.get('/devices', from('203.0.113.7'));
        assert.equal(status, 429, client.baseUrl);
        assert.match(body.status.message, /^Too many failed authentications from this address; maximum 5 per minute$/);
        const wait = Number(headers.get('retry-after'));
        assert.ok(wait >= 1 && wait <= 60);
      }
      assert.equal((await guess(http).get('/devices', from('203.0.113.8'))).status, 401, 'others are not concerned');
      assert.equal((await http.api.get('/devices', from('203.0.113.8'))).status, 200);
      const held = await http.api.get('/devices', from('203.0.113.7'));
      assert.equal(held.status, 429, 'a right guess looks like a wrong one');
      assert.deepEqual(
        [held.headers.get('ratelimit-limit'), held.headers.get('ratelimit-remaining')],
        ['5', '0'],
        'in its headers, too',
      );
    },
    { adminToken, authFailureLimit: 5, trustProxy: ['127.0.0.1'] },
  ),
);

test(
  'the sandbox behind the service is no way around it, and its use counts against no rate',
  withHttp(
    async (http) => {
      for (let count = 0; count < 5; count += 1) {
        assert.equal((await guess(http, '/sandbox').get('/phones')).status, 401);
      }
      const held = await guess(http, '/sandbox').get('/phones');
      assert.equal(held.status, 429);
      assert.match(held.body.status.message, /^Too many failed authentications/);
      assert.equal((await guess(http).get('/devices')).status, 429, 'one count for all doors');
      const known = await api(`${http.url}/sandbox`, http.api.key).get('/phones', from('203.0.113.8'));
      // Nothing listens there.
      assert.equal(known.status, 500);
      assert.equal(known.headers.get('ratelimit-limit'), null);
    },
    { authFailureLimit: 5, trustProxy: ['127.0.0.1'], sandboxControlUrl: 'http://127.0.0.1:1/sandbox' },
  ),
);

test(
  'a key that has worked from an address goes on working there',
  withHttp(
    async (http) => {
      assert.equal((await http.api.get('/devices')).status, 200);
      for (let count = 0; count < 9; count += 1) await guess(http).get('/devices/%zz');
      assert.equal((await guess(http).get('/devices')).status, 429);
      assert.equal((await http.api.get('/devices')).status, 200);
      const other = await http.user('other');
      assert.equal((await other.api.get('/devices')).status, 429, 'one that has not, does not');
    },
    { authFailureLimit: 5 },
  ),
);

test(
  'an address that a client invents does not count, unless a proxy is declared',
  withHttp(
    async (http) => {
      for (let count = 0; count < 5; count += 1) {
        assert.equal((await guess(http).get('/devices', from(`203.0.113.${count}`))).status, 401);
      }
      assert.equal((await guess(http).get('/devices', from('203.0.113.9'))).status, 429);
    },
    { authFailureLimit: 5 },
  ),
);

test('the window slides, and what was refused does not prolong it', async () => {
  const clock = manualClock();
  const guesses = guessLimit(2, clock);
  guesses.fail('192.0.2.1');
  await clock.advance(30_000);
  guesses.fail('192.0.2.1');
  for (let count = 0; count < 5; count += 1) {
    assert.throws(() => guesses.fail('192.0.2.1'), { name: 'RateLimited', retryAfterSeconds: 30 });
  }
  await clock.advance(30_000);
  guesses.pass('192.0.2.1', 'key 1');
  guesses.fail('192.0.2.1');
  assert.throws(() => guesses.fail('192.0.2.1'), { retryAfterSeconds: 30 });
});

test('an IPv6 network counts as one address', () => {
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), networkOf('2001:db8:1:2::99'));
  assert.notEqual(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:3::1'));
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf('fe80::1%eth0'), networkOf('fe80::2'));
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
});

test('a clock that is set back an hour locks nobody out for an hour', () => {
  let now = 10_000_000;
  const clock = { now: () => now, after: () => ({ cancel: () => undefined }) };
  const rate = slidingWindow(2, clock);
  const take = (): boolean => rate.take(1).allowed;
  const guesses = guessLimit(1, clock);
  assert.deepEqual([take(), take(), take()], [true, true, false]);
  guesses.fail('192.0.2.1');
  now -= 3_600_000;
  assert.equal(take(), false, 'the limit still holds');
  assert.throws(() => guesses.fail('192.0.2.1'), { name: 'RateLimited' });
  now += 60_001;
  assert.deepEqual([take(), take(), take()], [true, true, false]);
  guesses.fail('192.0.2.1');
  now += 7_200_000;
  assert.deepEqual([take(), take(), take()], [true, true, false], 'nor does a jump forward break it');
});
