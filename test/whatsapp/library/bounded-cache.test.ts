/** The caches: what they forget, and what their owners share. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedCache, portionOf } from '../../../src/whatsapp/library/bounded-cache.ts';

test('the least recently used entry goes first, and null is a value', () => {
  const cache = boundedCache<number | null>(2);
  cache.set('a', null);
  cache.set('b', 2);
  assert.equal(cache.get('a'), null);
  cache.set('c', 3);
  assert.equal(cache.get('b'), undefined);
  assert.equal(cache.get('a'), null);
  assert.equal(cache.size, 2);
});

test('an entry lives as long as its cache says, or as it says itself', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000 });
  const cache = boundedCache<number>(9, 100);
  cache.set('short', 1, { ttl: 10 });
  cache.set('long', 2);
  t.mock.timers.tick(11);
  assert.deepEqual([cache.get('short'), cache.get('long')], [undefined, 2]);
  t.mock.timers.tick(100);
  assert.equal(cache.get('long'), undefined);
});

test('owners who share a cache see their own entries, and have no more room than it', () => {
  const shared = boundedCache<number>(3);
  const [one, other] = [portionOf(shared, '1/'), portionOf(shared, '2/')];
  one.set('a', 1);
  other.set('a', 2);
  assert.deepEqual([one.get('a'), other.get('a'), other.get('b')], [1, 2, undefined]);
  for (const key of ['b', 'c', 'd']) other.set(key, 3);
  assert.equal(one.get('a'), undefined);
  assert.equal(shared.size, 3);
});
