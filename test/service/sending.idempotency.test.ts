/** `Idempotency-Key`: never a second message, also after a crash between message and answer (docs/spec/http-interface.md, Idempotency). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRecipient } from '../../src/domain/jid.ts';
import { HandsetError, storeAway } from '../../src/errors.ts';
import { eventually } from '../support/wait.ts';
import { lostInTheMiddle } from './scripted-network.ts';
import { type Stage, setStage } from './stage.ts';

const send = (stage: Stage, id: number, words = 'hello', key = 'order-1') =>
  stage.service.sending.send(
    stage.scope(id),
    { recipient: parseRecipient(undefined, '4917000000001'), content: { kind: 'text', text: words } },
    { key, fingerprint: words },
  );

test('the same key and body give the first answer again, even when the device is gone since', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const first = await send(stage, id);
  assert.deepEqual(await send(stage, id), first);
  assert.equal(session.sent.length, 1);
  await stage.service.devices.disconnect(stage.scope(id));
  assert.deepEqual(await send(stage, id), first);
});

test('the first answer is given again where the clock jumps ahead by more than a day', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const first = await send(stage, id);
  stage.clock.jump(25 * 3_600_000);
  assert.deepEqual(await send(stage, id), first);
  assert.equal(session.sent.length, 1);
});

test('another key is another message; another body under the same key is 400', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const first = await send(stage, id);
  assert.notDeepEqual(await send(stage, id, 'hello', 'order-2'), first);
  await assert.rejects(send(stage, id, 'bye'), { name: 'InvalidRequest', message: /^Idempotency-Key/ });
  assert.equal(session.sent.length, 2);
});

test('a key of one device says nothing about another device', async (t) => {
  const stage = await setStage(t);
  const one = await stage.connected();
  const two = await stage.connected();
  await send(stage, one.id);
  await send(stage, two.id, 'bye');
  assert.equal(two.session.sent.length, 1);
});

test('while the first is running: 409, and 400 for another body', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const { promise, resolve } = Promise.withResolvers<void>();
  session.onSend = () => promise;
  const first = send(stage, id);
  await eventually('the first to run', () => send(stage, id).catch((error: unknown) => error instanceof HandsetError));
  await assert.rejects(send(stage, id), { name: 'Conflict' });
  await assert.rejects(send(stage, id, 'bye'), { name: 'InvalidRequest' });
  resolve();
  assert.deepEqual(await send(stage, id).catch(() => first), await first);
  assert.equal(session.sent.length, 1);
});

test('a refusal that sent nothing gives the key back, for another body too', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.nobody.add('4917000000001');
  await assert.rejects(send(stage, id), { name: 'InvalidRequest' });
  session.nobody.clear();
  session.onSend = () =>
    Promise.reject(new HandsetError('SendFailed', 'Failed to send message', { cause: new Error('no') }));
  const refused = assert.rejects(send(stage, id), { name: 'SendFailed' });
  await stage.clock.advance(1_000);
  await refused;
  session.onSend = async () => undefined;
  await send(stage, id, 'bye');
  assert.equal(session.sent.length, 1);
});

test('a database that is away gives the key back, and is told at once: the session, which ends by it, is not waited for', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.onSend = async () => {
    session.lose();
    throw storeAway(new Error('no way to it'));
  };
  await assert.rejects(send(stage, id), { name: 'Unavailable', retryAfterSeconds: 5 });
  assert.equal(session.sent.length, 0);
});

test('an unknown outcome keeps the key: the repeat is the same message', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const ids: string[] = [];
  session.onSend = async (message) => {
    ids.push(message.id);
    if (ids.length === 1) throw lostInTheMiddle();
  };
  const failing = assert.rejects(send(stage, id), { name: 'SendFailed' });
  await stage.clock.advance(1_000);
  await failing;
  await assert.rejects(send(stage, id, 'bye'), { name: 'InvalidRequest' });
  const { messageId } = await send(stage, id);
  assert.deepEqual(ids, [messageId, messageId]);
});

test('a crash before the network took it: the repeat goes out under the same id', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  let first = '';
  session.onSend = (message) => {
    first = message.id;
    return new Promise(() => undefined);
  };
  void send(stage, id);
  await eventually('the first to run', () => first !== '');
  await stage.restart('crash');
  stage.network.onConnect = (next) => next.open();
  for (const live of stage.network.live(id)) live.open();
  const { messageId } = await send(stage, id);
  assert.equal(messageId, first);
  assert.equal((await stage.session(id)).sent.length, 1);
});

test('a crash after the network took it: the repeat sends nothing', async (t) => {
  const stage = await setStage(t);
  const { id } = await stage.connected();
  const { idempotency } = stage.store.stores;
  idempotency.finish = () => new Promise(() => undefined);
  void send(stage, id);
  await eventually('the message', async () => (await stage.service.devices.get(stage.scope(id))).messagesSent === 1);
  await stage.restart('crash');
  const { items } = await stage.store.stores.messages.list(id, { limit: 10, cursor: null });
  const { messageId } = await send(stage, id);
  assert.deepEqual(
    items.map((message) => message.id),
    [messageId],
  );
  assert.equal((await stage.session(id)).sent.length, 0);
  assert.deepEqual(await send(stage, id), { messageId });
});
