/** Turns by user: whoever has used the least time goes next. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { Turns } from '../../../src/whatsapp/media/turns.ts';

/** Tasks that take as long as the test says, and the order in which they began. */
const line = () => {
  const turns = new Turns();
  const order: string[] = [];
  const run = (userId: number, name: string, ms = 0, signal?: AbortSignal): Promise<void> =>
    turns.run({ userId, signal }, async () => {
      order.push(name);
      await (ms === 0 ? setImmediate() : setTimeout(ms));
    });
  return { order, run };
};

test('one at a time, in the order of a user', async () => {
  let running = 0;
  const turns = new Turns();
  const order: number[] = [];
  const task = async (n: number): Promise<void> => {
    running += 1;
    assert.equal(running, 1);
    order.push(n);
    await setImmediate();
    running -= 1;
  };
  await Promise.all([1, 2, 3].map((n) => turns.run({ userId: 1 }, () => task(n))));
  assert.deepEqual(order, [1, 2, 3]);
});

test('a user who has used much waits for those who have used little', async () => {
  const { order, run } = line();
  const first = run(1, 'long', 50);
  const rest = ['a', 'b', 'c'].map((name) => run(1, name));
  const others = [1, 2, 3, 4].map((n) => run(2, `other ${n}`));
  await Promise.all([first, ...rest, ...others]);
  assert.deepEqual(order, ['long', 'other 1', 'other 2', 'other 3', 'other 4', 'a', 'b', 'c']);
});

test('who comes later has no credit from before', async () => {
  const { order, run } = line();
  await run(1, 'alone', 30);
  const tasks = [run(2, 'a'), run(1, 'b'), run(2, 'c')];
  await Promise.all(tasks);
  assert.deepEqual(order, ['alone', 'a', 'b', 'c'], 'an empty line forgets');
});

test('who gives up leaves the line, and a failure ends a turn', async () => {
  const { order, run } = line();
  const turns = new Turns();
  const failing = turns.run({ userId: 1 }, () => Promise.reject(new Error('no')));
  await assert.rejects(failing, /no/);
  await turns.run({ userId: 1 }, async () => undefined);
  const abort = new AbortController();
  const first = run(1, 'first');
  const given = run(2, 'given up', 0, abort.signal);
  const last = run(3, 'last');
  abort.abort(new Error('enough'));
  await assert.rejects(given, /enough/);
  await assert.rejects(run(2, 'late', 0, abort.signal), /enough/);
  await Promise.all([first, last]);
  assert.deepEqual(order, ['first', 'last']);
});
