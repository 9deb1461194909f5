/** A connect relies on what the database has said of its lease lately, and asks where that is old or says no. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseCheckCache } from '../../src/service/cluster/caches.ts';

test('what has just come is not asked about; many are asked about at once; a no is asked for again', async () => {
  const held = new Map([[1, 5]]);
  const questions: (number | null)[] = [];
  const make = (freshMs: number): LeaseCheckCache =>
    new LeaseCheckCache(freshMs, async (deviceId) => {
      questions.push(deviceId ?? null);
      return new Map(held);
    });
  const long = make(600_000);
  long.remember(1, 5, performance.now());
  assert.equal(await long.holds(1, 5), true);
  assert.deepEqual(questions, []);
  assert.equal(await long.holds(1, 4), false, 'another epoch is asked about');
  for (let n = 0; n < 20; n += 1) assert.equal(await long.holds(1, 5), true);
  assert.deepEqual(questions, [...Array.from({ length: 7 }, () => 1), null], 'the eighth is for all');
  held.clear();
  long.clear();
  assert.equal(await long.holds(1, 5), false);
  held.set(2, 1);
  assert.equal(await long.holds(2, 1), true, 'it came after all were asked about');
  const old = make(600_000);
  old.remember(2, 1, performance.now() - 600_001);
  questions.length = 0;
  assert.equal(await old.holds(2, 1), true);
  assert.deepEqual(questions, [2], 'what was said too long ago is asked again');
});
