/** What is past its retention goes, a step at a time, and nothing else does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
    await stage.clock.advance(1_000);
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
