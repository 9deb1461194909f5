/** A clock that jumps ahead is not believed for an hour. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { believedTime } from '../../src/service/time/deadline.ts';

const hourMs = 3_600_000;

const stage = () => {
  const state = { wall: 1_000 * hourMs, steady: 0 };
  const now = believedTime({ now: () => state.wall }, () => state.steady);
  const pass = (ms: number): void => {
    state.wall += ms;
    state.steady += ms;
  };
  return { state, now, pass };
};

test('time that passes is believed, also where nobody asked for days, and so is a clock that is set by a little or back', () => {
  const { state, now, pass } = stage();
  pass(72 * hourMs);
  assert.equal(now(), state.wall);
  state.wall += hourMs / 2;
  assert.equal(now(), state.wall);
  state.wall -= 48 * hourMs;
  assert.equal(now(), state.wall);
});

test('a jump ahead is not believed for an hour, and what lasts is', () => {
  const { state, now, pass } = stage();
  const before = state.wall;
  state.wall += 25 * hourMs;
  assert.equal(now(), before);
  pass(hourMs / 2);
  assert.equal(now(), before + hourMs / 2);
  pass(hourMs / 2 + 1);
  assert.equal(now(), state.wall);
});

test('a clock that comes back in time has done nothing', () => {
  const { state, now, pass } = stage();
  state.wall += 25 * hourMs;
  now();
  pass(hourMs / 2);
  state.wall -= 25 * hourMs;
  pass(hourMs);
  assert.equal(now(), state.wall);
  state.wall += 25 * hourMs;
  assert.equal(now(), state.wall - 25 * hourMs, 'the next jump has an hour of its own');
});
