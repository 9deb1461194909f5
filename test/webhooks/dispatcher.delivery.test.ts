/** Deliveries to endpoints that answer: what arrives, signed how, in which order, and how much at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver, verify } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { chatOf, startBench, textOf } from './delivery.support.ts';

test('an event arrives as a signed JSON post and is recorded', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench();
  const id = await bench.device(`${receiver.url}/hook?a=1`);
  receiver.answer({ status: 202, body: 'thanks' });
  await bench.write(id, 'a@s.whatsapp.net', 'one');
  const [post] = await receiver.until(1);
  assert.ok(post !== undefined);
  assert.equal(post.method, 'POST');
  assert.equal(post.path, '/hook?a=1');
  assert.equal(post.headers['content-type'], 'application/json');
  assert.equal(post.headers['user-agent'], 'Handset/test');
  verify((await bench.store.stores.webhooks.primary(id)).secret, post);
  assert.deepEqual(Object.keys(post.event), ['id', 'type', 'timestamp', 'deviceId', 'data']);
  assert.equal(post.event.id, post.headers['webhook-id']);
  assert.match(post.event.id, /^evt_/);
  assert.equal(post.event.deviceId, id);
  const [delivery] = await bench.settled(id, 'delivered', 1);
  assert.equal(delivery?.eventId, post.event.id);
  assert.equal(delivery?.lastStatus, 202);
  assert.equal(delivery?.lastResponse, 'thanks');
  assert.equal(delivery?.attempts, 1);
  assert.notEqual((await bench.store.stores.webhooks.primary(id)).lastSuccessAt, null);
});

test('a body that was changed does not verify', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench();
  const id = await bench.device(receiver.url);
  await bench.write(id, 'a@s.whatsapp.net', 'one');
  const [post] = await receiver.until(1);
  const { secret } = await bench.store.stores.webhooks.primary(id);
  assert.throws(() => verify(secret, { ...post!, body: post!.body.replace('one', 'two') }));
  assert.throws(() => verify(secret, { ...post!, headers: { ...post!.headers, 'webhook-id': 'evt_other' } }));
});

test('after a rotation both secrets verify until the former one has ended', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench();
  const id = await bench.device(receiver.url);
  const { webhooks } = bench.store.stores;
  const former = (await webhooks.primary(id)).secret;
  const { secret } = await webhooks.rotateSecret(await webhooks.primary(id), Date.now() + 60_000);
  await bench.write(id, 'a@s.whatsapp.net', 'one');
  const [post] = await receiver.until(1);
  assert.equal(post!.headers['webhook-signature']!.split(' ').length, 2);
  verify(former, post!);
  verify(secret, post!);
  const third = await webhooks.rotateSecret(await webhooks.primary(id), Date.now() - 1);
  await bench.write(id, 'a@s.whatsapp.net', 'two');
  const [, second] = await receiver.until(2);
  assert.equal(second!.headers['webhook-signature']!.split(' ').length, 1);
  verify(third.secret, second!);
  assert.throws(() => verify(secret, second!));
});

test('a chat keeps its order while another one flows past it', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench();
  const id = await bench.device(receiver.url);
  const gate = Promise.withResolvers<void>();
  receiver.answer(async (post) => {
    if (textOf(post) === 'slow-0') await gate.promise;
    return { status: 200 };
  });
  await bench.write(id, 'slow@g.us', ...Array.from({ length: 20 }, (_, n) => `slow-${n}`));
  await bench.write(id, 'fast@g.us', ...Array.from({ length: 20 }, (_, n) => `fast-${n}`));
  await receiver.until(20, (post) => chatOf(post) === 'fast@g.us');
  assert.equal(receiver.received.filter((post) => chatOf(post) === 'slow@g.us').length, 1);
  gate.resolve();
  await bench.settled(id, 'delivered', 40);
  for (const chat of ['slow', 'fast']) {
    const texts = receiver.received.filter((post) => chatOf(post) === `${chat}@g.us`).map(textOf);
    assert.deepEqual(
      texts,
      Array.from({ length: 20 }, (_, n) => `${chat}-${n}`),
    );
  }
});

test('what was posted before a slow post of its chat is recorded meanwhile, and the chat goes on behind it', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench();
  const id = await bench.device(receiver.url);
  const gate = Promise.withResolvers<void>();
  receiver.answer(async (post) => {
    if (textOf(post) === '2') await gate.promise;
    return { status: 200 };
  });
  const texts = Array.from({ length: 40 }, (_, n) => `${n}`);
  await bench.write(id, 'a@g.us', ...texts);
  await bench.settled(id, 'delivered', 2);
  assert.deepEqual(receiver.received.map(textOf), ['0', '1', '2']);
  gate.resolve();
  await bench.settled(id, 'delivered', 40);
  assert.deepEqual(receiver.received.map(textOf), texts);
});

test('several thousand deliveries of many chats drain quickly, over few connections', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench();
  const id = await bench.device(null);
  await bench.store.stores.devices.update(id, { webhookUrl: receiver.url });
  const chats = 100;
  const perChat = 30;
  for (let chat = 0; chat < chats; chat += 1) {
    await bench.write(id, `${chat}@g.us`, ...Array.from({ length: perChat }, (_, n) => `${n}`));
  }
  await receiver.until(chats * perChat, undefined, 30_000);
  await eventually('an empty outbox', async () => (await bench.deliveries(id, 'pending')).length === 0);
  assert.ok(receiver.connections <= 128, `${receiver.connections} connections`);
  const byChat = Map.groupBy(receiver.received, chatOf);
  for (const posts of byChat.values()) {
    assert.deepEqual(
      posts.map(textOf),
      Array.from({ length: perChat }, (_, n) => `${n}`),
    );
  }
  assert.equal(bench.dispatcher.stats().delivered, chats * perChat);
});

test('what was not delivered when the service stopped is delivered after the next start', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench({ options: { stopMs: 50 } });
  const id = await bench.device(receiver.url);
  receiver.answer('hang');
  await bench.write(id, 'a@g.us', 'one', 'two');
  await receiver.until(1);
  receiver.answer({ status: 200 });
  await bench.restart();
  await bench.settled(id, 'delivered', 2);
  assert.deepEqual(receiver.received.map(textOf), ['one', 'one', 'two']);
  assert.equal(new Set(receiver.received.map((post) => post.event.id)).size, 2);
});

test('stop waits for the post that is out, and its outcome is recorded', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench();
  const id = await bench.device(receiver.url);
  const gate = Promise.withResolvers<void>();
  receiver.answer(async () => {
    await gate.promise;
    return { status: 200 };
  });
  await bench.write(id, 'a@g.us', 'one');
  await receiver.until(1);
  const stopped = bench.dispatcher.stop();
  gate.resolve();
  await stopped;
  assert.equal((await bench.deliveries(id, 'delivered')).length, 1);
});

test('a test event is signed, of type test, and told about', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench();
  const id = await bench.device(receiver.url);
  const good = await bench.test(id);
  assert.deepEqual({ ...good, durationMs: 0 }, { status: 200, durationMs: 0, error: null });
  const [post] = receiver.received;
  verify((await bench.store.stores.webhooks.primary(id)).secret, post!);
  assert.equal(post!.event.type, 'test');
  assert.equal(post!.event.deviceId, id);
  receiver.answer({ status: 500 });
  assert.deepEqual(
    { ...(await bench.test(id)), durationMs: 0 },
    { status: 500, durationMs: 0, error: 'the endpoint answered 500' },
  );
  receiver.answer({ status: 410 });
  assert.equal((await bench.test(id)).error, 'the endpoint answered 410 Gone', 'a test stops no webhook');
  await receiver.close();
  const dead = await bench.test(id);
  assert.equal(dead.status, null);
  assert.match(dead.error ?? '', /^the connection was (refused|closed before the answer|reset)$/);
  assert.deepEqual(await bench.deliveries(id), []);
  const bare = await bench.device(null);
  await assert.rejects(bench.test(bare), { name: 'InvalidRequest', message: /webhookUrl/ });
});

test('a test that succeeds has what waits posted at once', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench();
  const id = await bench.device(receiver.url);
  receiver.answer({ status: 500, headers: { 'retry-after': '3600' } });
  await bench.write(id, 'a@g.us', 'one');
  await eventually('a failed attempt', async () => (await bench.deliveries(id, 'pending'))[0]?.attempts === 1);
  await bench.test(id);
  receiver.answer({ status: 200 });
  await bench.test(id);
  const [delivery] = await bench.settled(id, 'delivered', 1);
  assert.equal(delivery!.attempts, 1, 'a test uses up none of the schedule');
  assert.deepEqual(
    receiver.received.map(({ event }) => event.type),
    ['message.updated', 'test', 'test', 'message.updated'],
  );
});

test('an endpoint that takes its time gets 64 at a time over distinct chats', async () => {
  await using receiver = await startReceiver();
  await using bench = await startBench();
  const id = await bench.device(receiver.url);
  let [open, most] = [0, 0];
  const [written, full] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  receiver.answer(async () => {
    open += 1;
    most = Math.max(most, open);
    if (open === 64) full.resolve();
    // An endpoint with nothing to do is forgotten.
    await written.promise;
    // It has to answer before it gets so many, and promptly: the first ones waited for all to be written.
    if (receiver.received.length > 300) await full.promise;
    // So long that one too many would be among them.
    await new Promise((resolve) => setTimeout(resolve, 50));
    open -= 1;
    return { status: 200 };
  });
  const chats = 500;
  await Promise.all(Array.from({ length: chats }, (_, chat) => bench.write(id, `${chat}@g.us`, 'one')));
  written.resolve();
  await receiver.until(chats);
  assert.equal(most, 64);
});
