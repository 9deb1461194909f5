/** Events that the commit which writes them hands to the dispatcher. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FreshDelivery, FreshTaker } from '../../src/domain/delivery.ts';
import { startReceiver } from '../support/receiver.ts';
import { startBench, textOf } from './delivery.support.ts';

const texts = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n}`);

test('events that are written one by one arrive in order, without a claim', async () => {
  let claims = 0;
  await using receiver = await startReceiver();
  await using bench = await startBench({
    wrap: (outbox) => ({
      ...outbox,
      claim: async (request) => {
        const due = await outbox.claim(request);
        claims += due.length;
        return due;
      },
    }),
  });
  const id = await bench.device(receiver.url);
  for (const text of texts(20)) await bench.write(id, 'a@g.us', text);
  await bench.settled(id, 'delivered', 20);
  assert.deepEqual(receiver.received.map(textOf), texts(20));
  assert.equal(claims, 0);
});

test('one that fails holds back those behind it, handed over or not', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench();
  const id = await bench.device(receiver.url);
  const failed = Promise.withResolvers<void>();
  let fails = true;
  receiver.answer(async (post) => {
    if (textOf(post) !== '1' || !fails) return { status: 200 };
    fails = false;
    await failed.promise;
    return { status: 500 };
  });
  const writes = texts(5).map((text) => bench.write(id, 'a@g.us', text));
  await receiver.until(2);
  failed.resolve();
  await Promise.all(writes);
  for (const text of texts(10).slice(5)) await bench.write(id, 'a@g.us', text);
  await bench.settled(id, 'delivered', 10);
  assert.deepEqual(receiver.received.map(textOf), ['0', '1', ...texts(10).slice(1)]);
});

test('behind a slow post few wait in memory, and the rest in the database, in order', async () => {
  await using receiver = await startReceiver();
  let most = 0;
  await using bench = await startBench({
    wrap: (outbox) => ({
      ...outbox,
      takeFresh: (taker) =>
        outbox.takeFresh({
          ...taker,
          take(due) {
            most += 1;
            taker.take(due);
          },
        }),
    }),
  });
  const id = await bench.device(receiver.url);
  const gate = Promise.withResolvers<void>();
  receiver.answer(async () => {
    await gate.promise;
    return { status: 200 };
  });
  for (const text of texts(100)) await bench.write(id, 'a@g.us', text);
  assert.ok(most >= 32 && most < 40, `${most} in memory`);
  gate.resolve();
  await bench.settled(id, 'delivered', 100);
  assert.deepEqual(receiver.received.map(textOf), texts(100));
});

test('one that was released before it is handed over is posted by its queue alone', async () => {
  await using receiver = await startReceiver();
  const late = Promise.withResolvers<FreshDelivery>();
  let taker: FreshTaker | null = null;
  await using bench = await startBench({
    wrap: (outbox) => ({
      ...outbox,
      takeFresh: (given) => {
        taker = given;
        const take = (due: FreshDelivery): void => {
          if (JSON.stringify(due.event).includes('"two"')) late.resolve(due);
          else given.take(due);
        };
        outbox.takeFresh({ ...given, take });
      },
    }),
  });
  const id = await bench.device(receiver.url);
  receiver.answer(async (post) => {
    if (textOf(post) === 'one' && receiver.received.length === 1) return { status: 500 };
    return { status: 200 };
  });
  await bench.write(id, 'a@g.us', 'one', 'two');
  const two = await late.promise;
  await bench.settled(id, 'delivered', 2);
  taker!.take(two);
  await bench.write(id, 'a@g.us', 'three');
  await bench.settled(id, 'delivered', 3);
  assert.deepEqual(receiver.received.map(textOf), ['one', 'one', 'two', 'three']);
});
