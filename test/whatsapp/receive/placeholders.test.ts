/** Messages that come without their content: told at once, asked of the phone, and told again when it is there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { systemClock } from '../../../src/clock.ts';
import { eventually } from '../../support/wait.ts';
import { startIntakes } from './intake.ts';
import { ann, at } from '../driver.people.ts';
import { type Rig, startRig } from '../driver.support.ts';

const anns = '4915200000051';
const bobs = '4915200000052';

const received = async (rig: Rig, deviceId: number) =>
  (await rig.events(deviceId)).flatMap(({ event }) => (event.type === 'message.received' ? [event.data.message] : []));

test('driver: a view-once message is told, and never asked for', async () => {
  await using rig = await startRig();
  await rig.phones.add(bobs, 'Bob');
  const { deviceId } = await rig.linked(anns, 'Ann');
  const [id] = await rig.phones.write(bobs, { to: anns, text: 'once', withheld: 'viewOnce' });
  const { message } = (await rig.event(deviceId, 'message.received')).data;
  assert.deepEqual(
    [message.id, message.type, message.text, message.viewOnce, message.unavailable, message.fromNumber],
    [id, 'unknown', null, true, 'viewOnce', bobs],
  );
  await rig.phones.write(bobs, { to: anns, text: 'for good' });
  await rig.event(deviceId, 'message.received', ({ data }) => data.message.text === 'for good');
  assert.equal((await received(rig, deviceId)).length, 2);
});

test('driver: the first message of an advertisement is told at once; its content comes from the phone, also after days', async () => {
  let later = 0;
  await using rig = await startRig({ ...systemClock, now: () => Date.now() + later });
  await rig.phones.add(bobs, 'Bob');
  const { deviceId, watched } = await rig.linked(anns, 'Ann');
  await rig.phones.behave(anns, { online: false });
  const [id] = await rig.phones.write(bobs, { to: anns, text: 'I saw your advertisement', withheld: 'waiting' });
  const { message } = (await rig.event(deviceId, 'message.received')).data;
  assert.deepEqual(
    [message.id, message.type, message.unavailable, message.viewOnce],
    [id, 'unknown', 'waiting', false],
  );
  await watched.session.close();
  later = 2.9 * 86_400_000;
  const again = rig.connect(deviceId);
  await again.opened();
  await rig.phones.behave(anns, { online: true });
  const { data } = await rig.event(deviceId, 'message.updated', (event) => 'message' in event.data.update);
  assert.equal(data.messageId, id);
  assert.partialDeepStrictEqual(data.update, {
    message: { id, type: 'text', text: 'I saw your advertisement', unavailable: null, fromNumber: bobs },
  });
  assert.equal((await received(rig, deviceId)).length, 1);
  assert.partialDeepStrictEqual(await rig.stores.messages.find(deviceId, id!), {
    type: 'text',
    text: 'I saw your advertisement',
  });
});

test('driver: forty undecryptable messages of a stranger hold up nobody, and are told when they are given up', async () => {
  await using rig = await startRig();
  await rig.phones.add(bobs, 'Bob');
  await rig.phones.add('4915200000053', 'Cyd');
  const { deviceId } = await rig.linked(anns, 'Ann');
  await rig.phones.write('4915200000053', { to: anns, text: 'a session' });
  await rig.event(deviceId, 'message.received');
  await rig.phones.write(bobs, { to: anns, text: 'garbled', withheld: 'garbled', count: 40 });
  await rig.phones.write('4915200000053', { to: anns, text: 'next' });
  await rig.event(deviceId, 'message.received', ({ data }) => data.message.text === 'next');
  const given = await eventually('all to be given up', async () => {
    const unknown = (await received(rig, deviceId)).filter(({ unavailable }) => unavailable !== null);
    return unknown.length === 40 && unknown;
  });
  assert.deepEqual(
    [...new Set(given.map(({ type, unavailable }) => `${type} ${unavailable}`))],
    ['unknown undecryptable'],
  );
});

const stranger = '9666@lid';
const empty = (id: string, from = stranger): BinaryNode => ({
  tag: 'message',
  attrs: { id, from, t: String(at / 1000) },
  content: [],
});

test('driver: what the network withholds says why, only view once is `viewOnce`, and the phone is asked for none of it', async () => {
  await using rig = await startIntakes({ ...systemClock, now: () => at });
  const { intake } = rig.connect();
  const bot = { tag: 'bot', attrs: {} };
  const given: readonly [BinaryNode['attrs'], BinaryNode[], string, boolean][] = [
    [{ type: 'view_once' }, [], 'viewOnce', true],
    [{ type: 'view_once_unavailable_fanout' }, [], 'viewOnce', true],
    [{ hosted: 'true' }, [], 'hosted', false],
    [{ type: 'hosted_unavailable_fanout' }, [], 'hosted', false],
    [{}, [bot], 'bot', false],
    [{ type: 'bot_unavailable_fanout' }, [], 'bot', false],
    [{}, [], 'waiting', false],
  ];
  for (const [index, [attrs, beside]] of given.entries()) {
    const content = [...beside, { tag: 'unavailable', attrs }];
    await intake.placeholders.take({ ...empty(`W${index}`, ann.lid), content });
  }
  const told = (await rig.events()).flatMap(({ type, data }) =>
    type === 'message.received' ? [[data.message.unavailable, data.message.viewOnce]] : [],
  );
  assert.deepEqual(
    told,
    given.map(([, , unavailable, viewOnce]) => [unavailable, viewOnce]),
  );
  await eventually('the phone to be asked', () => rig.asked.length > 0);
  assert.deepEqual(
    rig.asked.map(({ id }) => id),
    ['W6'],
  );
});

test('driver: three hundred placeholders of a stranger leave room for those of others', async () => {
  await using rig = await startIntakes({ ...systemClock, now: () => at });
  const { intake } = rig.connect();
  const count = 300;
  for (let n = 0; n < count; n += 1) await intake.placeholders.take(empty(`P${n}`));
  await intake.placeholders.take(empty('ANN', ann.lid));
  await eventually('the phone to be asked', () => rig.asked.some(({ id }) => id === 'ANN'));
  assert.equal(rig.asked.length, 21);
  const told = (await rig.events()).filter(({ type }) => type === 'message.received');
  assert.equal(told.length, count + 1);
  // Also of those that are not listed the content is no second message.
  const later = rig.connect();
  await later.decrypted({ id: 'P299', from: stranger, t: String(at / 1000) }, { conversation: 'here it is' });
  const last = (await rig.events()).at(-1)!;
  assert.ok(last.type === 'message.updated' && 'message' in last.data.update);
  assert.equal(last.data.update.message.text, 'here it is');
  assert.equal((await rig.stores.messages.find(rig.deviceId, 'P299'))?.text, 'here it is');
});

test('driver: the phone is asked for what is given up, also while others of its sender may still be sent again', async () => {
  await using rig = await startIntakes({ ...systemClock, now: () => at });
  const { placeholders } = rig.connect().intake;
  for (let n = 0; n < 25; n += 1) await placeholders.undecryptable(empty(`B${n}`, ann.lid));
  await eventually('the phone to be asked', () => rig.asked.length === 5);
  assert.deepEqual(
    rig.asked.map(({ id }) => id),
    ['B20', 'B21', 'B22', 'B23', 'B24'],
  );
});

test('driver: a message that is not sent again within an hour is told as undecryptable; if it comes after all, its content', async () => {
  let now = at;
  const clock = { ...systemClock, now: () => now };
  await using rig = await startIntakes(clock);
  const broken = empty('B1', ann.lid);
  await rig.connect().intake.placeholders.undecryptable(broken);
  assert.deepEqual(await rig.events(), []);
  now += 61 * 60_000;
  const later = rig.connect();
  await later.intake.placeholders.begin();
  const [event] = await rig.events();
  assert.ok(event?.type === 'message.received');
  assert.equal(event.data.message.unavailable, 'undecryptable');
  await later.decrypted({ id: 'B1', from: ann.lid, t: String(at / 1000) }, { conversation: 'after all' });
  assert.deepEqual(
    (await rig.events()).map(({ type }) => type),
    ['message.received', 'message.updated'],
  );
});
