/** The order of a device's sends, and how many of them may wait (docs/spec/messages.md, Sending). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRecipient } from '../../src/domain/jid.ts';
import { HandsetError } from '../../src/errors.ts';
import { eventually } from '../support/wait.ts';
import { type Stage, setStage } from './stage.ts';

const someone = parseRecipient(undefined, '4917000000001');
const text = (stage: Stage, id: number, words = 'hello') =>
  stage.service.sending.send(stage.scope(id), { recipient: someone, content: { kind: 'text', text: words } });
const noSend = (): void => undefined;

test('the sends of a device go out in order, one at a time; another device does not wait', async (t) => {
  const stage = await setStage(t);
  const slow = await stage.connected();
  const quick = await stage.connected();
  let release = noSend;
  let running = 0;
  slow.session.onSend = async () => {
    running += 1;
    assert.equal(running, 1);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    running -= 1;
  };
  const words = ['1', '2', '3', '4'];
  const sending = Promise.all(words.map((word) => text(stage, slow.id, word)));
  await text(stage, quick.id);
  let over = false;
  void sending.finally(() => {
    over = true;
  });
  await eventually('all sends', () => {
    release();
    return over;
  });
  assert.deepEqual(
    slow.session.sent.map(({ content }) => content.kind === 'text' && content.text),
    words,
  );
});

test('a number that is still looked up keeps the place of its message', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const asked = Promise.withResolvers<string>();
  session.lookUp = (number) =>
    number === '4917000000001' ? asked.promise : Promise.resolve(`${number}@s.whatsapp.net`);
  const first = text(stage, id, 'first');
  const recipient = parseRecipient(undefined, '4917000000002');
  const content = { kind: 'text', text: 'second' } as const;
  const second = stage.service.sending.send(stage.scope(id), { recipient, content });
  await stage.clock.advance(1_000);
  assert.equal(session.sent.length, 0);
  asked.resolve('4917000000001@s.whatsapp.net');
  await Promise.all([first, second]);
  const words = session.sent.map(({ content: said }) => said.kind === 'text' && said.text);
  assert.deepEqual(words, ['first', 'second']);
});

test('a thousand may wait; the next is told to come again', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.lose();
  const waiting = Array.from({ length: 1_000 }, () => text(stage, id));
  const results = Promise.allSettled(waiting);
  await eventually('a full queue', async () => {
    const error: unknown = await Promise.race([
      text(stage, id).catch((thrown: unknown) => thrown),
      stage.clock.advance(0),
    ]);
    return error instanceof HandsetError && error.name === 'RateLimited' && error.retryAfterSeconds === 5;
  });
  stage.network.onConnect = (next) => next.open();
  await stage.clock.advance(2_000);
  assert.equal((await results).filter(({ status }) => status === 'fulfilled').length, 1_000);
});

test('what has waited longer than its caller does is not sent', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const { promise, resolve } = Promise.withResolvers<void>();
  session.onSend = () => promise;
  const first = text(stage, id, 'first');
  await eventually('the first is under way', async () => {
    await stage.clock.advance(0);
    return true;
  });
  const second = assert.rejects(text(stage, id, 'second'), { name: 'RequestTimeout' });
  await stage.clock.advance(29_000);
  resolve();
  await first;
  await second;
  assert.equal(session.sent.length, 1);
});
