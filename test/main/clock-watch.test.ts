/** The machine's clock is set while the service runs: it is told, and what is counted by time stays right. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { guessLimit, slidingWindow } from '../../src/http/admission/rate-limit.ts';
import { watchClock } from '../../src/main/loop-watch.ts';
import { SessionTimers } from '../../src/service/sessions/timers.ts';
import { manualClock } from '../support/clock.ts';

const hour = 3_600_000;

test('a jump is told of once, in either direction; time that passes is not', async () => {
  const clock = manualClock();
  let jumped = 0;
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const stop = watchClock(clock, log, () => clock.now() - jumped);
  const jump = (ms: number): void => {
    clock.jump(ms);
    jumped += ms;
  };
  const told = (): number[] => lines.splice(0).map((line) => (JSON.parse(line) as { jumpMs: number }).jumpMs);
  await clock.advance(hour);
  assert.deepEqual(told(), []);
  jump(4_000);
  await clock.advance(60_000);
  assert.deepEqual(told(), [], 'NTP may correct it by a little');
  jump(hour);
  await clock.advance(60_000);
  assert.deepEqual(told(), [hour]);
  jump(-2 * hour);
  await clock.advance(60_000);
  assert.deepEqual(told(), [-2 * hour]);
  stop();
  jump(hour);
  await clock.advance(60_000);
  assert.deepEqual([told(), clock.waiting], [[], 0]);
});

test('a clock that is set back locks nobody out, and lets nobody have more', async () => {
  const clock = manualClock();
  const rate = slidingWindow(3, clock);
  const taken = (): boolean => rate.take(1).allowed;
  const four = (): boolean[] => [taken(), taken(), taken(), taken()];
  assert.deepEqual(four(), [true, true, true, false]);
  clock.jump(-24 * hour);
  assert.equal(taken(), false, 'the minute has not passed');
  await clock.advance(60_001);
  assert.deepEqual(four(), [true, true, true, false], 'and now it has');
  const guesses = guessLimit(2, clock);
  for (let n = 0; n < 2; n += 1) guesses.fail('192.0.2.1');
  clock.jump(-24 * hour);
  assert.throws(() => guesses.pass('192.0.2.1', 'key 1'), { name: 'RateLimited' });
  await clock.advance(60_001);
  guesses.pass('192.0.2.1', 'key 1');
});

test('a session is retried and its grace ends when they should, whatever the clock says', async () => {
  const clock = manualClock();
  const rung: string[] = [];
  const timers = new SessionTimers(clock, (kind) => rung.push(kind));
  timers.set('grace_over', 10_000);
  timers.set('retry_due', 30_000);
  clock.jump(-24 * hour);
  await clock.advance(10_000);
  assert.deepEqual(rung, ['grace_over']);
  clock.jump(48 * hour);
  await clock.advance(19_000);
  assert.deepEqual(rung, ['grace_over']);
  await clock.advance(1_000);
  assert.deepEqual(rung, ['grace_over', 'retry_due']);
});
