/** Retries after a failed attempt: when the next one is due, and when there is none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryDelays } from '../../src/webhooks/attempt.ts';
import { manualClock } from '../support/clock.ts';
import { type Behaviour, startReceiver, verify } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { type Bench, startBench, textOf } from './delivery.support.ts';

const attemptsOf = async (bench: Bench, id: number): Promise<number> => (await bench.deliveries(id)).at(-1)!.attempts;

const recorded = (bench: Bench, id: number, attempts: number): Promise<boolean> =>
  eventually(`attempt ${attempts} on record`, async () => (await attemptsOf(bench, id)) === attempts);

test('a delivery that keeps failing follows the schedule to its end and is then failed, not lost', async () => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  receiver.answer({ status: 500, body: 'broken' });
  await bench.write(id, 'a@g.us', 'one');
  await recorded(bench, id, 1);
  const expected = [0.2, 1, 3, 10, 30, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
  assert.deepEqual(
    retryDelays,
    expected.map((seconds) => seconds * 1000),
  );
  for (const [index, delay] of retryDelays.entries()) {
    await clock.advance(delay - 1);
    assert.equal(receiver.received.length, index + 1, `nothing before ${delay} ms have passed`);
    await clock.advance(1);
    await recorded(bench, id, index + 2);
  }
  const [failed] = await bench.settled(id, 'failed', 1);
  assert.equal(failed?.attempts, 15);
  assert.equal(failed?.nextAttemptAt, null);
  assert.equal(failed?.lastStatus, 500);
  assert.equal(failed?.lastError, 'the endpoint answered 500');
  assert.equal(failed?.lastResponse, 'broken');
  assert.equal(new Set(receiver.received.map((post) => post.headers['webhook-id'])).size, 1);
  const stamps = receiver.received.map((post) => Number(post.headers['webhook-timestamp']));
  assert.ok(
    stamps.every((stamp, n) => n < 2 || stamp > stamps[n - 1]!),
    'each attempt has its own timestamp',
  );
  const { secret } = await bench.store.stores.webhooks.get(id);
  for (const post of receiver.received) verify(secret, post, 'any');
  await clock.advance(86_400_000);
  assert.equal(receiver.received.length, 15);
  receiver.answer({ status: 200 });
  assert.equal(await bench.store.stores.outbox.retryFailed(id, null, clock.now()), 1);
  bench.dispatcher.wake();
  await bench.settled(id, 'delivered', 1);
});

test('a failed event holds back its chat only, and the chat goes on in order', async () => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  let broken = true;
  receiver.answer((post) => ({ status: textOf(post) === 'a1' && broken ? 503 : 200 }));
  await bench.write(id, 'a@g.us', 'a1', 'a2');
  await bench.write(id, 'b@g.us', 'b1', 'b2');
  await bench.settled(id, 'delivered', 2);
  await eventually('the failure on record', async () =>
    (await bench.deliveries(id, 'pending')).some((d) => d.attempts === 1),
  );
  broken = false;
  await clock.advance(1000);
  await bench.settled(id, 'delivered', 4);
  const texts = receiver.received.map(textOf);
  assert.deepEqual(
    texts.filter((text) => text.startsWith('a')),
    ['a1', 'a1', 'a2'],
  );
  assert.deepEqual(
    texts.filter((text) => text.startsWith('b')),
    ['b1', 'b2'],
  );
});

const firstReply = async (first: Behaviour, waitMs: number): Promise<void> => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  receiver.answer(() => (receiver.received.length === 1 ? first : { status: 200 }));
  await bench.write(id, 'a@g.us', 'one');
  await recorded(bench, id, 1);
  await clock.advance(waitMs - 1000);
  assert.equal(receiver.received.length, 1, 'too early');
  // The jitter of a Retry-After only adds: up to a tenth.
  await clock.advance(1000 + waitMs / 10);
  await bench.settled(id, 'delivered', 1);
};

test('Retry-After in seconds is obeyed', () => firstReply({ status: 429, headers: { 'retry-after': '90' } }, 90_000));

test('Retry-After as a date is obeyed', () => {
  const date = new Date(manualClock().now() + 45_000).toUTCString();
  return firstReply({ status: 503, headers: { 'retry-after': date } }, 45_000);
});

test('Retry-After is capped at a day', () =>
  firstReply({ status: 503, headers: { 'retry-after': '999999999' } }, 86_400_000 / 1.1));

test('a redirect is a failure and is not followed', async () => {
  const clock = manualClock();
  await using other = await startReceiver();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  receiver.answer({ status: 307, headers: { location: other.url } });
  await bench.write(id, 'a@g.us', 'one');
  await recorded(bench, id, 1);
  const [delivery] = await bench.deliveries(id);
  assert.equal(delivery?.state, 'pending');
  assert.equal(delivery?.lastStatus, 307);
  assert.match(delivery?.lastError ?? '', /redirects are not followed/);
  assert.equal(other.connections, 0);
});

test('410 stops the webhook until its URL is set again', async () => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  receiver.answer({ status: 410 });
  await bench.write(id, 'a@g.us', 'one', 'two');
  const [failed] = await bench.settled(id, 'failed', 1);
  assert.equal(failed?.lastStatus, 410);
  assert.notEqual((await bench.store.stores.webhooks.get(id)).disabledAt, null);
  bench.dispatcher.wake();
  await clock.advance(3_600_000);
  assert.equal(receiver.received.length, 1);
  receiver.answer({ status: 200 });
  await bench.store.stores.devices.update(id, { webhookUrl: `${receiver.url}/again` });
  bench.dispatcher.wake();
  const [post] = await receiver.until(1, ({ path }) => path === '/again');
  assert.equal(textOf(post!), 'two');
  await bench.settled(id, 'delivered', 1);
});

test('no answer within 15 s is a failure', async () => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  receiver.answer('hang');
  await bench.write(id, 'a@g.us', 'one');
  await receiver.until(1);
  await clock.advance(14_999);
  assert.equal(await attemptsOf(bench, id), 0);
  await clock.advance(1);
  await recorded(bench, id, 1);
  const [delivery] = await bench.deliveries(id);
  assert.equal(delivery?.lastStatus, null);
  assert.equal(delivery?.lastError, 'no complete answer within 15 s');
  assert.equal(delivery?.lastDurationMs, 15_000);
});

test('a body that never ends does not undo the status', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench();
  const id = await bench.device(receiver.url);
  receiver.answer({ status: 200, body: 'x'.repeat(5_000_000) });
  await bench.write(id, 'a@g.us', 'one');
  const [delivery] = await bench.settled(id, 'delivered', 1);
  assert.equal(delivery?.lastResponse?.length, 1024);
});

test('a cut connection is a failure that is retried', async () => {
  const clock = manualClock();
  await using receiver = await startReceiver();
  await using bench = await startBench({ clock });
  const id = await bench.device(receiver.url);
  receiver.answer(() => (receiver.received.length === 1 ? 'reset' : { status: 200 }));
  await bench.write(id, 'a@g.us', 'one');
  await recorded(bench, id, 1);
  await clock.advance(1000);
  await bench.settled(id, 'delivered', 1);
});
