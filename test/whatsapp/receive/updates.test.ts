/** Edits, reactions and votes that are sealed under the secret of their message. */
import assert from 'node:assert/strict';
import { createCipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { proto } from 'baileys';
import { systemClock } from '../../../src/clock.ts';
import type { DeviceEvent } from '../../../src/domain/event.ts';
import { eventually } from '../../support/wait.ts';
import { startIntakes } from './intake.ts';
import { Budget, BudgetSpent } from '../../../src/whatsapp/translate/parts/limits.ts';
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

test('driver: a sealed reaction, a vote and an answer to an event are told', async () => {
  await using rig = await startRig();
  const bobsPhone = await rig.phones.add(bobs, 'Bob');
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
  await rig.event(deviceId, 'message.updated', (event) => 'reaction' in event.data.update);
  const bob = { jid: `${bobs}@s.whatsapp.net`, number: bobs, lid: bobsPhone.lid };
  const told = (await updates(rig, deviceId)).filter(({ update }) => !('status' in update));
  assert.deepEqual(
    told.map(({ messageId, update }) => [messageId, update]),
    [
      [poll, { votes: [{ option: 'yes' }], from: bob }],
      [party, { response: 'going', guests: 0, from: bob }],
      [record.id, { reaction: '👍', from: bob }],
    ],
  );
  assert.deepEqual(await unknowns(rig, deviceId), []);
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

const byAnn = { author: ann.lid, editor: ann.lid };

/** A payload under the secret of a message, as the network's apps encrypt it. */
const sealed = (use: string, plain: Uint8Array, by = byAnn, under: Uint8Array = secret) => {
  const info = `M1${by.author}${by.editor}${use}`;
  const encIv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(hkdfSync('sha256', under, '', info, 32)), encIv);
  if (use === 'Poll Vote' || use === 'Event Response') cipher.setAAD(Buffer.from(`M1\0${by.editor}`));
  const encPayload = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return { encIv, encPayload };
};

const key = { id: 'M1', remoteJid: me.lid };
const { SecretEncType } = proto.Message.SecretEncryptedMessage;

const sealedEdit = (text: string, by = byAnn, under: Uint8Array = secret) => {
  const plain = proto.Message.encode({
    protocolMessage: { type: Type.MESSAGE_EDIT, key: { id: 'M1' }, editedMessage: { conversation: text } },
  }).finish();
  const fields = sealed('Message Edit', plain, by, under);
  return {
    secretEncryptedMessage: { targetMessageKey: key, secretEncType: SecretEncType.MESSAGE_EDIT, ...fields },
  };
};

const sealedVote = (options: readonly string[], by = byAnn) => {
  const selectedOptions = options.map((option) => createHash('sha256').update(option).digest());
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish();
  return { pollUpdateMessage: { pollCreationMessageKey: key, vote: sealed('Poll Vote', plain, by) } };
};

const textsIn = (events: readonly DeviceEvent[]) =>
  events.flatMap((event) =>
    event.type === 'message.updated' && 'text' in event.data.update ? [event.data.update.text] : [],
  );

test('driver: a sealed edit of an event changes it, and a sealed comment is a message', async () => {
  await using rig = await startIntakes();
  const { decrypted } = rig.connect();
  const { messageContextInfo } = original;
  await decrypted({ id: 'M1', ...fromAnn }, { eventMessage: { name: 'Party' }, messageContextInfo });
  const edit = proto.Message.encode({ eventMessage: { name: 'Party at nine', isCanceled: true } }).finish();
  const secretEncType = SecretEncType.EVENT_EDIT;
  const secretEncryptedMessage = { targetMessageKey: key, secretEncType, ...sealed('Event Edit', edit) };
  await decrypted({ id: 'E1', ...fromAnn }, { secretEncryptedMessage });
  const comment = proto.Message.encode({ conversation: 'see you' }).finish();
  await decrypted(
    { id: 'C1', ...fromAnn },
    { encCommentMessage: { targetMessageKey: key, ...sealed('Enc Comment', comment) } },
  );
  const event = await rig.stores.messages.find(rig.deviceId, 'M1');
  assert.partialDeepStrictEqual(event, { text: 'Party at nine', parts: { event: { canceled: true } }, editedAt: at });
  const found = await rig.stores.messages.find(rig.deviceId, 'C1');
  assert.partialDeepStrictEqual(found, { text: 'see you', quotedMessageId: 'M1' });
  const kinds = (await rig.events()).map(({ type }) => type);
  assert.deepEqual(kinds, ['message.received', 'message.updated', 'message.received']);
  assert.deepEqual(rig.said(), []);
});

test('driver: a sealed comment that takes too long to be read is kept as unknown', async ({ mock }) => {
  await using rig = await startIntakes();
  const { decrypted } = rig.connect();
  await decrypted({ id: 'M1', ...fromAnn }, original);
  const comment = proto.Message.encode({ conversation: 'see you' }).finish();
  const { run } = Budget.prototype;
  mock.method(Budget.prototype, 'run', function spent<T>(this: Budget, work: () => T): T {
    const read = run.call(this, work) as T & { messages?: unknown };
    if (read.messages !== undefined) throw new BudgetSpent();
    return read;
  });
  await decrypted(
    { id: 'C1', ...fromAnn },
    { encCommentMessage: { targetMessageKey: key, ...sealed('Enc Comment', comment) } },
  );
  const found = await rig.stores.messages.find(rig.deviceId, 'C1');
  assert.partialDeepStrictEqual(found, { type: 'unknown', text: null, quotedMessageId: 'M1' });
  assert.deepEqual(found?.content, comment);
});

test('driver: a vote that comes before its poll waits for it; one for another poll, or a broken one, is no vote', async () => {
  await using rig = await startIntakes();
  const { decrypted } = rig.connect();
  await decrypted({ id: 'V1', ...fromAnn }, sealedVote(['yes']));
  const poll = { name: 'Lunch?', options: [{ optionName: 'yes' }, { optionName: 'no' }] };
  await decrypted(
    { id: 'M1', ...fromAnn },
    { pollCreationMessageV3: poll, messageContextInfo: original.messageContextInfo },
  );
  await decrypted({ id: 'V2', ...fromAnn }, sealedVote(['no', 'neither']));
  await decrypted({ id: 'V3', ...fromAnn }, sealedVote([]));
  const { pollUpdateMessage } = sealedVote(['yes']);
  await decrypted(
    { id: 'V4', ...fromAnn },
    { pollUpdateMessage: { ...pollUpdateMessage, vote: { encIv: randomBytes(3) } } },
  );
  await decrypted({ id: 'V5', ...fromAnn }, { pollUpdateMessage: {} });
  await decrypted({ id: 'V6', ...fromAnn }, sealedVote(['yes'], { author: ann.lid, editor: me.lid }));
  const votes = (await rig.events()).flatMap((event) =>
    event.type === 'message.updated' && 'votes' in event.data.update ? [event.data.update.votes] : [],
  );
  assert.deepEqual(votes, [[{ option: 'yes' }], [{ option: 'no' }], []]);
  assert.deepEqual(rig.said(), ['an update was not encrypted with the secret of its message']);
});

test('driver: whoever sealed an edit may have named people by LID or by phone number', async () => {
  await using rig = await startIntakes();
  const { decrypted } = rig.connect();
  await decrypted({ id: 'M1', ...fromAnn }, original);
  const pairs = [ann.lid, ann.phone].flatMap((author) => [ann.lid, ann.phone].map((editor) => ({ author, editor })));
  for (const [index, pair] of pairs.entries()) {
    await decrypted({ id: `E${index}`, ...fromAnn }, sealedEdit(`edit ${index}`, pair));
  }
  assert.deepEqual(textsIn(await rig.events()), ['edit 0', 'edit 1', 'edit 2', 'edit 3']);
});

for (const isTold of [false, true]) {
  const what = isTold ? 'the content of its message' : 'its message';
  test(`driver: a sealed edit that comes before ${what} waits for it, in the store`, async () => {
    await using rig = await startIntakes();
    const early = rig.connect();
    if (isTold) await early.intake.placeholders.take({ tag: 'message', attrs: { id: 'M1', ...fromAnn } });
    await early.decrypted({ id: 'E1', ...fromAnn }, sealedEdit('better'));
    assert.equal((await rig.events()).length, isTold ? 1 : 0);
    const later = rig.connect();
    await later.decrypted({ id: 'M1', ...fromAnn }, original);
    const events = await rig.events();
    assert.deepEqual(
      events.map(({ type }) => type),
      ['message.received', ...(isTold ? ['message.updated'] : []), 'message.updated'],
    );
    assert.deepEqual(textsIn(events), ['better']);
    assert.equal((await rig.stores.messages.find(rig.deviceId, 'M1'))?.text, 'better');
    // It has waited once.
    assert.equal((await rig.stores.credentials.readKeys(rig.deviceId, 'waiting-updates', ['all'])).size, 0);
  });
}

test('driver: an edit with a wrong secret, of a message without one, or by somebody else is logged and changes nothing', async () => {
  await using rig = await startIntakes();
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
  await using rig = await startIntakes({ ...systemClock, now: () => now });
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
