/** The bounded cache: what it forgets and when. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedCache, portionOf } from '../../../src/whatsapp/engine/bounded-cache.ts';

test('bounded cache: the least recently used entry goes first', () => {
  const cache = new BoundedCache<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  assert.equal(cache.get('a'), 1);
  cache.set('c', 3);
  assert.equal(cache.get('b'), undefined);
  assert.equal(cache.get('a'), 1);
  assert.equal(cache.size, 2);
});

test('bounded cache: an entry ends with its life', () => {
  let now = 0;
  const cache = new BoundedCache<number>(9, 100, () => now);
  cache.set('short', 1, 10);
  cache.set('long', 2);
  now = 10;
  assert.equal(cache.get('short'), undefined);
  assert.equal(cache.get('long'), 2);
  now = 100;
  assert.equal(cache.get('long'), undefined);
});

test('bounded cache: deleting and flushing', () => {
  const cache = new BoundedCache<number>(9);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.del('a');
  assert.equal(cache.get('a'), undefined);
  assert.equal(cache.get('b'), 2);
  cache.flushAll();
  assert.equal(cache.size, 0);
});

test('bounded cache: owners who share one see only what is theirs, and have no more room than it', () => {
  const shared = new BoundedCache<number>(3);
  const [one, other] = [portionOf(shared, '1/'), portionOf(shared, '2/')];
  one.set('a', 1);
  other.set('a', 2);
  assert.deepEqual([one.get('a'), other.get('a'), other.get('b')], [1, 2, undefined]);
  for (const key of ['b', 'c', 'd']) other.set(key, 3);
  assert.equal(one.get('a'), undefined);
  assert.equal(shared.size, 3);
});
