/** The limit of resends: so many at once and a minute, by chat. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResendLimit } from '../../../src/whatsapp/send/resend-limit.ts';

const taken = (limit: ResendLimit, chat: string, isGroup: boolean, tries = 1_000): number =>
  Array.from({ length: tries }, () => limit.take(chat, isGroup)).filter(Boolean).length;

test('a group has 20 at once and 10 a minute, a person 60; each chat has its own', () => {
  let now = 1_700_000_000_000;
  const limit = new ResendLimit({ now: () => now });
  assert.deepEqual(
    [taken(limit, 'a@g.us', true), taken(limit, 'b@g.us', true), taken(limit, 'c@lid', false)],
    [20, 20, 60],
  );
  now += 30_000;
  assert.deepEqual([taken(limit, 'a@g.us', true), taken(limit, 'c@lid', false)], [5, 30]);
  now += 86_400_000;
  assert.deepEqual([taken(limit, 'a@g.us', true), taken(limit, 'c@lid', false)], [20, 60]);
  now -= 86_400_000;
  assert.equal(taken(limit, 'a@g.us', true), 0);
});
