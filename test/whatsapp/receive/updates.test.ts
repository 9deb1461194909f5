/** Edits, reactions and votes that are sealed under the secret of their message. */
import assert from 'node:assert/strict';
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { proto } from 'baileys';
import { systemClock } from '../../../src/clock.ts';
import type { DeviceEvent } from '../../../src/domain/event.ts';
import { eventually } from '../../support/wait.ts';
import { startJournals } from './journal.ts';
import { ann, at, group, me, Type } from '../driver.people.ts';
import { type Rig, startRig } from '../driver.support.ts';

const anns = '4915200000041';
const bobs = '4915200000042';

const updates = async (rig: Rig, deviceId: number) =>
  (await rig.events(deviceId)).flatMap(({ event }) => (event.type === 'message.updated' ? [event.data] : []));
const unknowns = async (rig: Rig, deviceId: number) =>
  (await rig.events(deviceId)).filter(
    ({ event }) =>
      (event.type === 'message.received' || event.type === 'message.sent') && event.data.message.type === 'unknown',
  );

for (const plain of [false, true]) {
  test(`driver: ${plain ? 'a plain' : 'a sealed'} edit changes the text that was received`, async () => {
    await using rig = await startRig();
    await rig.phones.add(bobs, 'Bob');
    const { deviceId } = await rig.linked(anns, 'Ann');
    const [id] = await rig.phones.write(bobs, { to: anns, text: 'first' });
    await rig.event(deviceId, 'message.received');
    await rig.phones.request('POST', `/phones/${bobs}/messages/${id}/edit`, { text: 'second', plain });
    await rig.event(deviceId, 'message.updated', ({ data }) => 'text' in data.update && data.update.text === 'second');
    assert.equal((await rig.stores.messages.find(deviceId, id!))?.text, 'second');
    assert.deepEqual(await unknowns(rig, deviceId), []);
  });
}

test('driver: a sealed edit of the own account, of what was sent by API and of what the phone wrote', async () => {
  await using rig = await startRig();
  await rig.phones.add(bobs, 'Bob');
  const { deviceId, watched } = await rig.linked(anns, 'Ann');
  const { record } = await rig.send(watched, bobs, { kind: 'text', text: 'by API' });
  const [written] = await rig.phones.write(anns, { to: bobs, text: 'by hand' });
  await eventually('the copy on the phone', async () =>
    (await rig.phones.messages(anns)).find(({ id }) => id === record.id),
  );
  await rig.event(deviceId, 'message.sent', ({ data }) => data.message.id === written);
  for (const id of [record.id, written]) {
    await rig.phones.request('POST', `/phones/${anns}/messages/${id}/edit`, { text: `edited ${id}` });
    await rig.event(
      deviceId,
      'message.updated',
      ({ data }) => 'text' in data.update && data.update.text === `edited ${id}`,
    );
  }
  assert.deepEqual(await unknowns(rig, deviceId), []);
});

test('driver: a sealed reaction is told; votes and answers to events are silent', async () => {
  await using rig = await startRig();
  await rig.phones.add(bobs, 'Bob');
  const { deviceId, watched } = await rig.linked(anns, 'Ann');
  const { record } = await rig.send(watched, bobs, { kind: 'text', text: 'hello' });
  await eventually('the text on the phone', async () =>
    (await rig.phones.messages(bobs)).find(({ id }) => id === record.id),
  );
  const [poll] = await rig.phones.write(bobs, { to: anns, poll: { question: 'Lunch?', options: ['yes', 'no'] } });
  const [party] = await rig.phones.write(bobs, { to: anns, event: { name: 'Party' } });
  await rig.phones.request('POST', `/phones/${bobs}/messages/${poll}/vote`, { options: ['yes'] });
  await rig.phones.request('POST', `/phones/${bobs}/messages/${party}/respond`, { answer: 'going' });
  await rig.phones.request('POST', `/phones/${bobs}/messages/${record.id}/react`, { emoji: '👍', encrypted: true });
  const { data } = await rig.event(deviceId, 'message.updated', (event) => 'reaction' in event.data.update);
  assert.deepEqual(
    [
      data.messageId,
      'reaction' in data.update && data.update.reaction,
      'from' in data.update && data.update.from?.number,
    ],
    [record.id, '👍', bobs],
  );
  const told = (await updates(rig, deviceId)).filter(({ update }) => !('status' in update));
  assert.equal(told.length, 1);
  // An event is a kind that has no type of its own yet; what is said about it is no message.
  assert.deepEqual(
    (await unknowns(rig, deviceId)).map(({ event }) => event.type === 'message.received' && event.data.message.id),
    [party],
  );
  const { message } = await rig.phones.request<{ message: { details: object } }>(
    'GET',
    `/phones/${bobs}/messages/${poll}`,
  );
  assert.partialDeepStrictEqual(message.details, { answers: [{ answer: ['yes'] }] });
});

const secret = randomBytes(32);
const t = String(at / 1000);
const original = { conversation: 'first', messageContextInfo: { messageSecret: secret } };
const fromAnn = { from: ann.lid, sender_pn: ann.phone, t };

const sealedEdit = (text: string, by = { author: ann.lid, editor: ann.lid }, under: Uint8Array = secret) => {
  const info = `M1${by.author}${by.editor}Message Edit`;
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(hkdfSync('sha256', under, '', info, 32)), iv);
  const plain = proto.Message.encode({
    protocolMessage: { type: Type.MESSAGE_EDIT, key: { id: 'M1' }, editedMessage: { conversation: text } },
  }).finish();
  return {
    secretEncryptedMessage: {
      targetMessageKey: { id: 'M1', remoteJid: me.lid },
      secretEncType: proto.Message.SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT,
      encIv: iv,
      encPayload: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]),
    },
  };
};

const textsIn = (events: readonly DeviceEvent[]) =>
  events.flatMap((event) =>
    event.type === 'message.updated' && 'text' in event.data.update ? [event.data.update.text] : [],
  );

test('driver: a sealed edit of an event and a sealed comment are silent', async () => {
  await using rig = await startJournals();
  const { decrypted } = rig.connect();
  await decrypted({ id: 'M1', ...fromAnn }, { eventMessage: { name: 'Party' }, ...original });
  const before = await rig.events();
  const { targetMessageKey, encIv, encPayload } = sealedEdit('Party at nine').secretEncryptedMessage;
  const secretEncType = proto.Message.SecretEncryptedMessage.SecretEncType.EVENT_EDIT;
  const sealed = { targetMessageKey, encIv, encPayload };
  await decrypted({ id: 'E1', ...fromAnn }, { secretEncryptedMessage: { ...sealed, secretEncType } });
  await decrypted({ id: 'C1', ...fromAnn }, { encCommentMessage: sealed });
  assert.deepEqual([before.length, await rig.events()], [1, before]);
  assert.deepEqual(rig.said(), []);
  for (const id of ['E1', 'C1']) assert.equal(await rig.stores.messages.find(rig.deviceId, id), null);
});

test('driver: whoever sealed an edit may have named people by LID or by phone number', async () => {
  await using rig = await startJournals();
  const { decrypted } = rig.connect();
  await decrypted({ id: 'M1', ...fromAnn }, original);
  const pairs = [ann.lid, ann.phone].flatMap((author) => [ann.lid, ann.phone].map((editor) => ({ author, editor })));
  for (const [index, pair] of pairs.entries()) {
    await decrypted({ id: `E${index}`, ...fromAnn }, sealedEdit(`edit ${index}`, pair));
  }
  assert.deepEqual(textsIn(await rig.events()), ['edit 0', 'edit 1', 'edit 2', 'edit 3']);
});

test('driver: a sealed edit that comes before its message waits for it, in the store', async () => {
  await using rig = await startJournals();
  await rig.connect().decrypted({ id: 'E1', ...fromAnn }, sealedEdit('better'));
  assert.deepEqual(await rig.events(), []);
  const later = rig.connect();
  await later.decrypted({ id: 'M1', ...fromAnn }, original);
  const events = await rig.events();
  assert.deepEqual(
    events.map(({ type }) => type),
    ['message.received', 'message.updated'],
  );
  assert.deepEqual(textsIn(events), ['better']);
  assert.equal((await rig.stores.messages.find(rig.deviceId, 'M1'))?.text, 'better');
  // It has waited once.
  assert.equal((await rig.stores.credentials.readKeys(rig.deviceId, 'waiting-updates', ['all'])).size, 0);
});

test('driver: an edit with a wrong secret, of a message without one, or by somebody else is logged and changes nothing', async () => {
  await using rig = await startJournals();
  const { decrypted } = rig.connect();
  await decrypted({ id: 'M1', ...fromAnn }, original);
  await decrypted({ id: 'E1', ...fromAnn }, sealedEdit('wrong', undefined, randomBytes(32)));
  const broken = sealedEdit('broken');
  await decrypted(
    { id: 'E2', ...fromAnn },
    { secretEncryptedMessage: { ...broken.secretEncryptedMessage, encIv: randomBytes(3) } },
  );
  const eve = '9666@lid';
  await decrypted({ id: 'M1', from: group, participant: ann.lid, t }, original);
  const forged = sealedEdit('forged', { author: ann.lid, editor: eve });
  await decrypted({ id: 'E3', from: group, participant: eve, t }, forged);
  await decrypted({ id: 'M1', from: eve, t }, { conversation: 'mine' });
  await decrypted({ id: 'E4', from: eve, t }, sealedEdit('no secret', { author: eve, editor: eve }));
  const events = await rig.events();
  assert.deepEqual(
    events.map(({ type }) => type),
    ['message.received', 'message.received', 'message.received'],
  );
  assert.equal((await rig.stores.messages.find(rig.deviceId, 'M1', group))?.text, 'first');
  assert.deepEqual(rig.said(), [
    'an update was not encrypted with the secret of its message',
    "ignored an edit of somebody else's message",
    'cannot decrypt an update of a message without a secret',
  ]);
  assert.doesNotMatch(rig.lines.join(), /forged|9666|9002/);
});

test('driver: updates of messages that never come wait in bounded number', async () => {
  let now = at;
  await using rig = await startJournals({ ...systemClock, now: () => now });
  const { decrypted } = rig.connect();
  const waiting = async (): Promise<readonly { author: string; attrs: { id: string } }[]> => {
    const value = (await rig.stores.credentials.readKeys(rig.deviceId, 'waiting-updates', ['all'])).get('all');
    return JSON.parse(Buffer.from(value!).toString());
  };
  for (let n = 0; n < 20; n += 1) await decrypted({ id: `E${n}`, ...fromAnn }, sealedEdit(`edit ${n}`));
  assert.deepEqual(
    (await waiting()).map(({ attrs }) => attrs.id),
    ['E12', 'E13', 'E14', 'E15', 'E16', 'E17', 'E18', 'E19'],
  );
  for (let n = 0; n < 80; n += 1) await decrypted({ id: `S${n}`, from: `${7000 + n}@lid`, t }, sealedEdit('x'));
  assert.equal((await waiting()).length, 64);
  await decrypted({ id: 'LARGE', ...fromAnn }, sealedEdit('x'.repeat(20_000)));
  assert.equal(
    (await waiting()).some(({ attrs }) => attrs.id === 'LARGE'),
    false,
  );
  now += 4 * 86_400_000;
  await decrypted({ id: 'LATE', ...fromAnn }, sealedEdit('late'));
  assert.deepEqual(
    (await waiting()).map(({ attrs }) => attrs.id),
    ['LATE'],
  );
});
