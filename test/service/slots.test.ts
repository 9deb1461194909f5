/** Slots are shared by user. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots } from '../../src/service/sessions/slots.ts';

/** Asks for slots in the name of users; `got` names them as they come. */
const asking = (most: number) => {
  const slots = new Slots(most);
  const got: string[] = [];
  const releases = new Map<string, () => void>();
  const ask = async (name: string, userId: number, urgent = false): Promise<void> => {
    releases.set(name, await slots.acquire(userId, urgent));
    got.push(name);
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    got,
    ask: (name: string, userId: number, urgent?: boolean) => (void ask(name, userId, urgent), settle()),
    release: (name: string) => (releases.get(name)!(), settle()),
  };
};

test('devices of one user that hang leave a slot for another', async () => {
  const { got, ask, release } = asking(8);
  for (let n = 0; n < 10; n += 1) await ask(`a${n}`, 1);
  assert.equal(got.length, 7);
  await ask('b0', 2);
  await ask('b1', 2);
  assert.deepEqual(got.slice(7), ['b0'], 'the last one is kept for those who have none');
  await release('b0');
  await release('b0');
  assert.deepEqual(got.slice(8), ['b1'], 'a second release counts for nothing');
});

test('urgent ones go first, then those of the user who has the fewest', async () => {
  const { got, ask, release } = asking(2);
  await ask('a0', 1);
  await ask('a1', 1);
  for (const [name, user] of [
    ['a2', 1],
    ['a3', 1],
    ['b0', 2],
    ['b1', 2],
  ] as const)
    await ask(name, user);
  await ask('a4', 1, true);
  for (const name of ['a0', 'a1', 'a4', 'b0', 'a2', 'b1']) await release(name);
  assert.deepEqual(got, ['a0', 'a1', 'a4', 'b0', 'a2', 'b1', 'a3']);
});
