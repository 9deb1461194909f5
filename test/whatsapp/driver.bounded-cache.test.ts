/** The bounded cache: what it forgets and when. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedCache } from '../../src/whatsapp/bounded-cache.ts';

test('bounded cache: the least recently used entry goes first', () => {
  const cache = new BoundedCache(2);
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
  const cache = new BoundedCache(9, 100, () => now);
  cache.set('short', 1, 10);
  cache.set('long', 2);
  now = 10;
  assert.equal(cache.get('short'), undefined);
  assert.equal(cache.get('long'), 2);
  now = 100;
  assert.equal(cache.get('long'), undefined);
});

test('bounded cache: many at once, deleting, flushing', async () => {
  const cache = new BoundedCache(9);
  cache.mset([
    { key: 'a', value: 1 },
    { key: 'b', value: 2 },
  ]);
  assert.deepEqual(await cache.mget(['a', 'c']), { a: 1, c: undefined });
  cache.del('a');
  assert.equal(cache.get('a'), undefined);
  cache.flushAll();
  assert.equal(cache.size, 0);
});
