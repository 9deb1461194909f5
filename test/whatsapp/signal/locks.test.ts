/** The lock table. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Locks } from '../../../src/whatsapp/signal/signal-records.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('first come, first served; and an idle table is empty', async () => {
  const locks = new Locks();
  const order: number[] = [];
  const first = await locks.acquire(['a']);
  const waiting = [1, 2, 3].map(async (i) => {
    const release = await locks.acquire(['a']);
    order.push(i);
    await settled();
    order.push(i);
    release();
  });
  await settled();
  assert.deepEqual(order, []);
  assert.equal(locks.size, 1);
  first();
  await Promise.all(waiting);
  assert.deepEqual(order, [1, 1, 2, 2, 3, 3]);
  assert.equal(locks.size, 0);
});

test('other names do not wait, and giving back twice harms nobody', async () => {
  const locks = new Locks();
  const a = await locks.acquire(['a']);
  const b = await locks.acquire(['b']);
  b();
  a();
  const again = await locks.acquire(['a']);
  a();
  let entered = false;
  const next = (async () => {
    const release = await locks.acquire(['a']);
    entered = true;
    release();
  })();
  await settled();
  assert.equal(entered, false);
  again();
  await next;
  assert.equal(locks.size, 0);
});

test('several names at once, in any order, and one after the other: no deadlock', async () => {
  const locks = new Locks();
  const names = ['491.0', '491.3', '20_1.0', '20_1.3'];
  const work = Array.from({ length: 50 }, async (_, i) => {
    const mixed = names.toSorted(() => (i % 3) - 1);
    const release = await locks.acquire([...mixed, mixed[0]!]);
    await settled();
    release();
  });
  // As an operation does that finds the record under the phone address.
  const nested = Array.from({ length: 50 }, async () => {
    const lid = await locks.acquire(['20_1.0']);
    await settled();
    const phone = await locks.acquire(['491.0']);
    phone();
    lid();
  });
  await Promise.all([...work, ...nested]);
  assert.equal(locks.size, 0);
});
