/** Expired data is deleted, a step at a time, and nothing else is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { makePruner } from '../../src/service/retention.ts';
import { manualClock } from '../support/clock.ts';
import { eventually } from '../support/wait.ts';
import { setStage } from './stage.ts';

const dayMs = 86_400_000;

test('events go after their time, newer ones stay', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  await stage.service.supervisor.start();
  await stage.clock.advance(6 * dayMs);
  assert.deepEqual(await stage.events(id), ['auth ref-1 null', 'open']);
  session.end({ kind: 'replaced' });
  await stage.clock.advance(2 * dayMs);
  await eventually('the old events to go', async () => {
    await stage.clock.advance(60_000);
    return (await stage.events(id)).length === 1;
  });
  assert.deepEqual(await stage.events(id), ['closed replaced false']);
});

test('a step that fails is tried again later, and stopping ends it', async (t) => {
  const stage = await setStage(t);
  let steps = 0;
  stage.store.stores.retention.prune = async () => {
    steps += 1;
    if (steps === 1) throw new Error('busy');
    return steps === 2 ? 500 : 0;
  };
  await stage.service.supervisor.start();
  await stage.clock.advance(59_000);
  assert.equal(steps, 0, 'what has waited at the network comes first');
  await stage.clock.advance(2_000);
  assert.equal(steps, 1);
  await stage.clock.advance(600_000);
  assert.equal(steps, 3);
  await stage.service.supervisor.stop();
  await stage.clock.advance(dayMs);
  assert.equal(steps, 3);
});

test('a clock that jumps ahead deletes nothing for an hour, and never when it comes back', async () => {
  const clock = manualClock();
  const start = clock.now();
  const before: number[] = [];
  const pruner = makePruner({
    retention: { prune: async ({ events }) => (before.push(events), 0), shrink: async () => false },
    clock,
    log: pino({ level: 'silent' }),
    times: { eventRetentionMs: 7 * dayMs, messageRetentionMs: 30 * dayMs },
  });
  pruner.start();
  await clock.advance(600_000);
  assert.deepEqual(before.splice(0), [start + 60_000 - 7 * dayMs]);
  clock.jump(400 * dayMs);
  await clock.advance(1_800_000);
  clock.jump(-400 * dayMs);
  await clock.advance(1_200_000);
  assert.ok(before.length > 0, 'it goes on at once when the clock is right again');
  assert.ok(
    before.splice(0).every((time) => time < start),
    'nothing new was deleted',
  );
  clock.jump(400 * dayMs);
  await clock.advance(3_000_000);
  assert.deepEqual(before, []);
  await clock.advance(2_400_000);
  assert.ok(before.at(-1)! > start + 390 * dayMs, 'what lasts is believed');
  await pruner.stop();
});
