/** The limit of resends: so many at once and a minute, by chat. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResendLimit } from '../../../src/whatsapp/send/resend-limit.ts';

/** The waits of the next `count`, in seconds. */
const waits = (limit: ResendLimit, chat: string, isGroup: boolean, count: number): (number | null)[] =>
  Array.from({ length: count }, () => {
    const ms = limit.take(chat, isGroup);
    return ms === null ? null : ms / 1_000;
  });

const atOnce = (count: number): number[] => Array.from({ length: count }, () => 0);

test('a group has 20 at once and 10 a minute, a person 60; each chat has its own, and further ones wait', () => {
  let now = 1_700_000_000_000;
  const limit = new ResendLimit({ now: () => now });
  assert.deepEqual(waits(limit, 'a@g.us', true, 23), [...atOnce(20), 6, 12, 18]);
  assert.deepEqual(waits(limit, 'b@g.us', true, 21), [...atOnce(20), 6]);
  assert.deepEqual(waits(limit, 'c@lid', false, 62), [...atOnce(60), 1, 2]);
  now += 30_000;
  assert.deepEqual(waits(limit, 'a@g.us', true, 4), [0, 0, 6, 12]);
  now -= 86_400_000;
  assert.deepEqual(waits(limit, 'a@g.us', true, 1), [18]);
  now += 2 * 86_400_000;
  assert.deepEqual(waits(limit, 'a@g.us', true, 21), [...atOnce(20), 6]);
});

test('what would wait for more than an hour is refused, and takes nothing', () => {
  let now = 1_700_000_000_000;
  const limit = new ResendLimit({ now: () => now });
  assert.deepEqual(waits(limit, 'a@g.us', true, 622).slice(-4), [3_594, 3_600, null, null]);
  now += 6_000;
  assert.deepEqual(waits(limit, 'a@g.us', true, 2), [3_600, null]);
});
