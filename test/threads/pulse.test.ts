/** A thread that hangs is noticed after a minute; one that was only slow, or stopped with the process, is not. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { watchPulse } from '../../src/threads/pulse.ts';
import { manualClock } from '../support/clock.ts';

const start = (t: TestContext) => {
  const clock = manualClock();
  const asked: (() => void)[] = [];
  let silent = 0;
  t.after(
    watchPulse({
      clock,
      ask: () => new Promise<void>((resolve) => asked.push(resolve)),
      onSilence: () => (silent += 1),
    }),
  );
  return { clock, asked, silent: () => silent };
};

test('no answer for a minute: it hangs, which is told once', async (t) => {
  const { clock, asked, silent } = start(t);
  await clock.advance(10_000);
  assert.equal(asked.length, 1);
  await clock.advance(59_000);
  assert.equal(silent(), 0);
  await clock.advance(1_000);
  assert.equal(silent(), 1);
  await clock.advance(600_000);
  assert.deepEqual([silent(), asked.length], [1, 1]);
});

test('an answer, however late, begins anew', async (t) => {
  const { clock, asked, silent } = start(t);
  for (let round = 1; round <= 5; round += 1) {
    await clock.advance(10_000);
    assert.equal(asked.length, round);
    // Five looks without an answer.
    await clock.advance(50_000);
    asked.at(-1)!();
    // The same look that finds it asks again.
    assert.equal(asked.length, round);
  }
  assert.equal(silent(), 0);
});
