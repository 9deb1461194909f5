/** The backoff as a table: doubling, capped, between half and the whole of each step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs } from '../../src/service/sessions/timers.ts';

const table: readonly [number, number, number][] = [
  [0, 250, 500],
  [1, 500, 1_000],
  [2, 1_000, 2_000],
  [3, 2_000, 4_000],
  [6, 16_000, 32_000],
  [7, 30_000, 60_000],
  [50, 30_000, 60_000],
  [100_000, 30_000, 60_000],
];

for (const [attempt, least, most] of table) {
  test(`attempt ${attempt} waits ${least} to ${most} ms`, () => {
    assert.equal(backoffMs(attempt, 0), least);
    assert.equal(backoffMs(attempt, 1), most);
    assert.equal(backoffMs(attempt, 0.5), (least + most) / 2);
  });
}

test('what no quick retry can mend is tried every few minutes, then every hour', () => {
  assert.equal(backoffMs(0, 1, 'slow'), 300_000);
  assert.equal(backoffMs(20, 1, 'slow'), 3_600_000);
});
