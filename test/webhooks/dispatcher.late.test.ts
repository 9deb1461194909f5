/** Retries as users see them (docs/spec/webhooks.md, Order): flaky endpoints, events that hold back their chat, recoveries, attempts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delivery } from '../../src/domain/delivery.ts';
import { manualClock } from '../support/clock.ts';
import { startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { type Bench, chatOf, startBench, textOf } from './delivery.support.ts';

const oneOf = async (bench: Bench, id: number, text: string, texts: readonly string[]): Promise<Delivery> => {
  const oldestFirst = (await bench.deliveries(id)).toReversed();
  return oldestFirst[texts.indexOf(text)]!;
};

const recorded = (bench: Bench, id: number, attempts: number): Promise<unknown> =>
  eventually(`attempt ${attempts} on record`, async () => (await bench.deliveries(id)).at(-1)!.attempts === attempts);

const attemptsOf = async (bench: Bench, { deviceId, id }: Delivery, limit = 100, cursor: string | null = null) => {
  const page = await bench.store.stores.outbox.attempts(deviceId, id, { limit, cursor });
  assert.ok(page !== null);
  return page;
};

test('an endpoint that fails one request in seven gets 400 messages of 20 chats within half a minute, each chat in order', async () => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  const refused = new Set<string>();
  let posts = 0;
  // The same request is not refused twice, and every seventh new one is.
  receiver.answer((post) => {
    const text = `${chatOf(post)} ${textOf(post)}`;
    if (refused.has(text)) return { status: 200 };
    posts += 1;
    if (posts % 7 !== 0) return { status: 200 };
    refused.add(text);
    return { status: 503 };
  });
  const begun = clock.now();
  for (let n = 0; n < 20; n += 1) {
    for (let chat = 0; chat < 20; chat += 1) await bench.write(id, `c${chat}@g.us`, `${n}`);
  }
  await eventually('400 deliveries', async () => {
    const { running, delivered, retried } = bench.dispatcher.stats();
    const all = await bench.deliveries(id);
    if (all.every(({ state }) => state === 'delivered')) return true;
    const attempts = all.reduce((sum, each) => sum + each.attempts, 0);
    const due = await bench.store.stores.outbox.nextDueAt();
    // Once all that is due is done, and on record.
    if (running === 0 && attempts === delivered + retried && due !== null && due > clock.now())
      await clock.advance(due - clock.now());
    return false;
  });
  assert.ok(clock.now() - begun < 30_000);
  const accepted = receiver.received.filter((post, index) => {
    const text = `${chatOf(post)} ${textOf(post)}`;
    const again = receiver.received.findLastIndex((other) => `${chatOf(other)} ${textOf(other)}` === text);
    return again === index;
  });
  for (const [chat, of] of Map.groupBy(accepted, chatOf)) {
    assert.deepEqual(
      of.map(textOf),
      Array.from({ length: 20 }, (_, n) => `${n}`),
      chat,
    );
  }
});

test('a failing event holds back its chat for two minutes at most, and is tried alone and marked late from then on', async () => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  let broken = true;
  receiver.answer((post) => ({ status: textOf(post) === 'one' && broken ? 500 : 200 }));
  const texts = ['one', 'two', 'three'];
  await bench.write(id, 'a@g.us', ...texts);
  await recorded(bench, id, 1);
  for (const [index, seconds] of [0.2, 1, 3, 10, 30].entries()) {
    await clock.advance(seconds * 1000);
    await recorded(bench, id, index + 2);
    assert.equal((await oneOf(bench, id, 'one', texts)).late, false);
  }
  assert.deepEqual(receiver.received.map(textOf), Array(6).fill('one'));
  await clock.advance(60_000);
  await bench.settled(id, 'delivered', 2);
  const late = await oneOf(bench, id, 'one', texts);
  assert.deepEqual([late.state, late.late, late.attempts], ['pending', true, 7]);
  const others = receiver.received.map(textOf).filter((text) => text !== 'one');
  assert.deepEqual(others, ['two', 'three']);
  await bench.restart();
  broken = false;
  await clock.advance(299_999);
  assert.equal((await bench.deliveries(id, 'delivered')).length, 2);
  await clock.advance(1);
  await bench.settled(id, 'delivered', 3);
  assert.equal((await oneOf(bench, id, 'one', texts)).late, true);
  await bench.write(id, 'a@g.us', 'four');
  await bench.settled(id, 'delivered', 4);
});

test('a Retry-After of an hour holds back its chat no longer', async () => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  receiver.answer((post) =>
    textOf(post) === 'one' ? { status: 429, headers: { 'retry-after': '3600' } } : { status: 200 },
  );
  await bench.write(id, 'a@g.us', 'one', 'two');
  await bench.settled(id, 'delivered', 1);
  assert.equal((await oneOf(bench, id, 'one', ['one', 'two'])).late, true);
});

test('when an endpoint recovers, what waits for it is due at once, and uses up none of its schedule', async () => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  receiver.answer({ status: 500 });
  for (let chat = 0; chat < 5; chat += 1) await bench.write(id, `c${chat}@g.us`, 'waits');
  for (const seconds of [0.2, 1, 3, 10, 30, 60, 300]) {
    const attempts = (await bench.deliveries(id)).map((each) => each.attempts);
    const before = Math.max(...attempts, 1);
    await eventually('all tried as often', async () =>
      (await bench.deliveries(id)).every((each) => each.attempts === before),
    );
    await clock.advance(seconds * 1000);
    await eventually('all tried again', async () =>
      (await bench.deliveries(id)).every((each) => each.attempts === before + 1),
    );
  }
  receiver.answer((post) => ({ status: chatOf(post) === 'c4@g.us' ? 500 : 200 }));
  await clock.advance(1);
  await bench.write(id, 'other@g.us', 'now');
  await bench.settled(id, 'delivered', 5);
  const [waits] = await bench.deliveries(id, 'pending');
  await eventually('its attempt on record', async () => (await attemptsOf(bench, waits!)).items.length === 9);
  const again = (await bench.deliveries(id, 'pending'))[0]!;
  assert.deepEqual([again.attempts, again.nextAttemptAt], [8, clock.now() + 1_800_000]);
});

test('after an outage of twenty seconds, what waits is posted with the first success', async () => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  receiver.answer({ status: 503 });
  for (let chat = 0; chat < 5; chat += 1) await bench.write(id, `c${chat}@g.us`, 'waits');
  for (const [attempts, seconds] of [0.2, 1, 3, 10].entries()) {
    await eventually('all tried', async () =>
      (await bench.deliveries(id)).every((each) => each.attempts === attempts + 1),
    );
    await clock.advance(seconds * 1000);
  }
  await eventually('all tried', async () => (await bench.deliveries(id)).every((each) => each.attempts === 5));
  await clock.advance(6_000);
  receiver.answer({ status: 200 });
  await bench.write(id, 'other@g.us', 'now');
  await bench.settled(id, 'delivered', 6);
});

test('one event that always fails is tried early once a turn, however often another chat succeeds', async () => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  const always = { status: 500, headers: { 'retry-after': '50' } };
  receiver.answer((post) => (textOf(post) === 'poison' ? always : { status: 200 }));
  await bench.write(id, 'a@g.us', 'poison');
  await recorded(bench, id, 1);
  for (let n = 0; n < 8; n += 1) {
    await clock.advance(5_000);
    await bench.write(id, 'b@g.us', `${n}`);
    await bench.settled(id, 'delivered', n + 1);
  }
  assert.equal(receiver.received.map(textOf).filter((text) => text === 'poison').length, 2);
});

test('one event that always fails is not tried at every success of another chat', async () => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  receiver.answer((post) => ({ status: textOf(post) === 'poison' ? 500 : 200 }));
  await bench.write(id, 'a@g.us', 'poison');
  await recorded(bench, id, 1);
  for (let n = 0; n < 10; n += 1) {
    await bench.write(id, 'b@g.us', `${n}`);
    await bench.settled(id, 'delivered', n + 1);
  }
  assert.equal(receiver.received.map(textOf).filter((text) => text === 'poison').length, 1);
});

test('every attempt is kept: failures, the success, and a success that was followed by a retry by hand', async () => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  const headers = { 'x-request-id': 'r1', 'set-cookie': 'sid=1', 'x-auth-token': 't', 'x-long': 'x'.repeat(5_000) };
  const answers = [
    { status: 500, body: 'broken', headers },
    'reset',
    { status: 200, body: 'thanks', headers: { 'x-request-id': 'r2' } },
    { status: 204 },
  ] as const;
  receiver.answer(() => answers[receiver.received.length - 1] ?? { status: 200 });
  await bench.write(id, 'a@g.us', 'one');
  await recorded(bench, id, 1);
  await clock.advance(1000);
  await recorded(bench, id, 2);
  await clock.advance(3000);
  const [delivery] = await bench.settled(id, 'delivered', 1);
  const short = async () =>
    (await attemptsOf(bench, delivery!)).items.map(({ status, response }) => [status, response]);
  const tried = (await attemptsOf(bench, delivery!)).items;
  assert.deepEqual([tried[2]!.headers, tried[1]!.headers], [{ 'x-request-id': 'r1' }, null], 'short, and no secret');
  assert.equal(tried[0]!.headers?.['x-request-id'], 'r2');
  assert.deepEqual(await short(), [
    [200, 'thanks'],
    [null, null],
    [500, 'broken'],
  ]);
  await clock.advance(1);
  await bench.store.stores.outbox.retry(id, delivery!.id, clock.now());
  bench.dispatcher.wake();
  await eventually('posted again', async () => (await short())[0]![0] === 204);
  assert.deepEqual(await short(), [
    [204, ''],
    [200, 'thanks'],
    [null, null],
    [500, 'broken'],
  ]);
  const first = await attemptsOf(bench, delivery!, 2);
  assert.equal(first.items.length, 2);
  const rest = await attemptsOf(bench, delivery!, 2, first.nextCursor);
  assert.deepEqual([rest.items.map(({ status }) => status), rest.nextCursor], [[null, 500], null]);
  assert.equal(await bench.store.stores.outbox.attempts(id, 'dlv_x', { limit: 1, cursor: null }), null);
});
