/** A dead or slow endpoint is its own device's words: the others do not notice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../support/clock.ts';
import { freePort } from '../support/port.ts';
import { startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { Endpoint } from '../../src/webhooks/endpoints.ts';
import { startBench } from './delivery.support.ts';

const chats = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n}@g.us`);

test('a hundred chats of an endpoint that hangs delay no other device', async () => {
  await using dead = await startReceiver();
  await using healthy = await startReceiver();
  await using bench = await startBench({ options: { maxInFlight: 40, timeoutMs: 120_000, stopMs: 10 } });
  dead.answer('hang');
  const slow = await bench.device(dead.url);
  for (const chat of chats(100)) await bench.write(slow, chat, 'one');
  await dead.until(10);
  for (let n = 0; n < 5; n += 1) {
    const id = await bench.device(healthy.url);
    for (const chat of chats(10)) await bench.write(id, chat, 'one', 'two');
  }
  await healthy.until(100);
  const { running } = bench.dispatcher.stats();
  assert.ok(running <= 40, `${running} running`);
});

test('many hanging endpoints at once leave room for a healthy one', async () => {
  await using dead = await startReceiver();
  await using healthy = await startReceiver();
  await using bench = await startBench({ options: { maxInFlight: 60, timeoutMs: 120_000, stopMs: 10 } });
  dead.answer('hang');
  for (let n = 0; n < 8; n += 1) {
    const id = await bench.device(dead.url);
    for (const chat of chats(40)) await bench.write(id, chat, 'one');
  }
  await eventually('hanging posts', () => dead.received.length >= 32);
  const id = await bench.device(healthy.url);
  for (const chat of chats(10)) await bench.write(id, chat, 'one', 'two', 'three');
  await healthy.until(30);
});

test('after a start with much to deliver, the endpoints that hang leave room for the others', async () => {
  await using dead = await startReceiver();
  await using healthy = await startReceiver();
  await using bench = await startBench({ options: { maxInFlight: 60, timeoutMs: 120_000, stopMs: 10 } });
  dead.answer('hang');
  const hanging: number[] = [];
  for (let n = 0; n < 8; n += 1) hanging.push(await bench.device(dead.url));
  const id = await bench.device(healthy.url);
  await bench.dispatcher.stop();
  for (const device of [...hanging, id]) {
    for (const chat of chats(40)) await bench.write(device, chat, 'one');
  }
  await bench.restart();
  await healthy.until(40);
  assert.ok(new Set(dead.received.map(({ event }) => event.deviceId)).size === 8, 'each of the others had its share');
});

test('slow endpoints of one user, however many, delay no other user', async () => {
  await using slow = await startReceiver();
  await using healthy = await startReceiver();
  await using bench = await startBench({ options: { maxInFlight: 64, timeoutMs: 120_000, stopMs: 10 } });
  slow.answer('hang');
  const hog = await bench.user();
  for (let n = 0; n < 160; n += 1) await bench.write(await bench.device(slow.url, hog), '1@g.us', 'one');
  await slow.until(20);
  const ids: number[] = [];
  for (let n = 0; n < 5; n += 1) ids.push(await bench.device(healthy.url));
  for (const id of ids) for (const chat of chats(10)) await bench.write(id, chat, 'one');
  await healthy.until(50);
  const { running } = bench.dispatcher.stats();
  assert.ok(running <= 48, `${running} posts of one user are out, of 64`);
});

test('the later an endpoint answers, the fewer posts it has at once', () => {
  const endpoint = new Endpoint({ webhookId: 1, userId: 1 }, { max: 64, first: 16, tripAfter: 5 });
  const answers = (count: number, ms: number): number => {
    for (let n = 0; n < count; n += 1) endpoint.answered(ms);
    return endpoint.roomAt(0);
  };
  assert.equal(answers(100, 50), 64);
  const [late, later] = [answers(20, 2_000), answers(20, 14_000)];
  assert.ok(late >= 30 && late <= 33, `${late}`);
  assert.equal(later, 4);
  assert.ok(endpoint.isNotable, 'and is remembered while it is slow');
  assert.equal(answers(100, 50), 64);
});

test('an endpoint that refuses connections gets single probes, and all when it is back', async () => {
  const clock = manualClock();
  await using first = await startReceiver(await freePort());
  await using bench = await startBench({ clock });
  const id = await bench.device(first.url);
  await first.close();
  for (const chat of chats(60)) await bench.write(id, chat, 'one');
  await eventually(
    'a tripped endpoint',
    () => bench.dispatcher.stats().tripped === 1 && bench.dispatcher.stats().running === 0,
  );
  const tried = bench.dispatcher.stats().retried;
  assert.ok(tried <= 20, `${tried} deliveries were tried on a dead endpoint`);
  for (let second = 0; second < 20; second += 1) {
    await clock.advance(1000);
    assert.ok(bench.dispatcher.stats().running <= 1, 'more than one probe at a time');
  }
  await using receiver = await startReceiver(Number(new URL(first.url).port));
  await eventually('everything delivered', async () => {
    await clock.advance(1000);
    return (await bench.deliveries(id, 'delivered')).length === 60;
  });
  assert.equal(receiver.received.length, 60);
  assert.equal(bench.dispatcher.stats().tripped, 0);
});

test('a test event that is answered ends the probing', async () => {
  const clock = manualClock();
  await using first = await startReceiver(await freePort());
  await using bench = await startBench({ clock });
  const id = await bench.device(first.url);
  await first.close();
  for (const chat of chats(10)) await bench.write(id, chat, 'one');
  await eventually('a tripped endpoint', () => bench.dispatcher.stats().tripped === 1);
  await using _back = await startReceiver(Number(new URL(first.url).port));
  assert.equal((await bench.test(id)).status, 200);
  assert.equal(bench.dispatcher.stats().tripped, 0);
});

test('memory stays bounded when far more is due than may be out', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench({ options: { maxInFlight: 50, stopMs: 10 } });
  receiver.answer('hang');
  for (let n = 0; n < 20; n += 1) {
    const id = await bench.device(receiver.url);
    for (const chat of chats(30)) await bench.write(id, chat, 'one');
  }
  await receiver.until(25);
  const { running } = bench.dispatcher.stats();
  assert.ok(running <= 50, `${running} running`);
});
