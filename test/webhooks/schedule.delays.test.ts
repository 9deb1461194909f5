/** The table of waits, and what Retry-After makes of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delayAfter, parseRetryAfter, retryDelays } from '../../src/webhooks/attempt.ts';

const now = Date.UTC(2026, 0, 1);

test('Retry-After is read as seconds or as a date', () => {
  const table: readonly (readonly [string | undefined, number | null])[] = [
    [undefined, null],
    ['0', 0],
    [' 30 ', 30_000],
    ['86401', 86_400_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['Fri, 01 Jan 2100 00:00:00 GMT', 86_400_000],
    ['soon', null],
    ['', null],
  ];
  for (const [value, expected] of table) assert.equal(parseRetryAfter(value, now), expected, String(value));
});

test('the first wait is spread by a half to both sides, the others by a tenth', () => {
  for (const [index, planned] of retryDelays.entries()) {
    const spread = index === 0 ? 0.5 : 0.1;
    assert.equal(delayAfter(index + 1, null, 0), Math.round(planned * (1 - spread)));
    assert.equal(delayAfter(index + 1, null, 0.5), planned);
    assert.ok(delayAfter(index + 1, null, 0.999_999)! <= planned * (1 + spread));
  }
});

test('after the last wait there is none', () => {
  assert.notEqual(delayAfter(14, null, 0.5), null);
  assert.equal(delayAfter(15, null, 0.5), null);
  assert.equal(delayAfter(15, 1000, 0.5), null);
});

test('a long Retry-After lengthens, a short one shortens the first waits only', () => {
  assert.equal(delayAfter(1, 60_000, 0), 60_000);
  assert.equal(delayAfter(1, 2000, 0), 2000);
  assert.equal(delayAfter(1, 0, 0), 1000);
  assert.equal(delayAfter(7, 2000, 0.5), 300_000);
  assert.equal(delayAfter(7, 900_000, 0), 900_000);
});
