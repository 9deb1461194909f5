/** The verdict on memory that grows, by which a soak and a day of many devices end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Memory } from './support/memory.ts';
import type { Child } from './support/child.ts';

const mega = 1_048_576;

/** The verdict on a process that holds these MB in turn. */
const judged = async (megabytes: readonly number[]): Promise<readonly string[]> => {
  const left = [...megabytes];
  const memory = new Memory({ ask: async () => left.shift()! * mega } as unknown as Child, {
    share: 0.05,
    bytes: mega,
  });
  // They are as far apart as it takes to ask.
  while (left.length > 0) await memory.sample();
  return memory.judge('it');
};

const hours = Array.from({ length: 24 }, (_, hour) => hour);

test('memory: a leak that goes on is told, whatever comes and goes beside it', async () => {
  const [said = ''] = await judged(hours.map((hour) => 100 + hour + (hour % 3)));
  assert.match(said, /^the memory of it is not flat: 100\.0 MB at first, 125\.0 MB at the end/);
});

test('memory: caches that fill in the first hours are no leak, and nor is what comes and goes', async () => {
  assert.deepEqual(await judged(hours.map((hour) => 100 + Math.min(hour, 6) * 5 + (hour % 3))), []);
  assert.deepEqual(await judged(hours.map((hour) => 100 + hour * 0.1)), []);
});
