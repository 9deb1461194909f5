/** Sending and receiving against the sandbox. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import sharp from 'sharp';
import { eventually } from '../../support/wait.ts';
import { imageOf, startRig } from '../driver.support.ts';
import { noParts } from '../../../src/domain/messages/parts.ts';

const ann = '4915200000001';
const bob = '4915200000002';
const picture = () =>
  sharp({ create: { width: 320, height: 200, channels: 3, background: { r: 0, g: 128, b: 255 } } })
    .jpeg()
    .toBuffer();
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('driver: sends a text, and follows it until it is read', async () => {
  await using rig = await startRig();
  const bobsPhone = await rig.phones.add(bob, 'Bob');
  const { deviceId, watched, account } = await rig.linked(ann, 'Ann');
  const { record } = await rig.send(watched, bob, { kind: 'text', text: 'hello Bob' });
  assert.equal(record.state, 'accepted');
  assert.equal((await rig.stores.devices.find(deviceId))?.messagesSent, 1);

  const received = await eventually('the text on the phone', async () =>
    (await rig.phones.messages(bob)).find((message) => message.text === 'hello Bob'),
  );
  assert.equal(received.id, record.id);

  const sent = await rig.event(deviceId, 'message.sent');
  assert.equal(sent.data.source, 'api');
  assert.deepEqual(
    [sent.data.message.id, sent.data.message.chat, sent.data.message.chatLid, sent.data.message.from],
    [record.id, bobsPhone.jid, bobsPhone.lid, account.jid],
  );
  await rig.event(
    deviceId,
    'message.updated',
    ({ data }) => 'status' in data.update && data.update.status === 'delivered',
  );
  await rig.phones.request('POST', `/phones/${bob}/messages/${record.id}/read`);
  const read = await rig.event(
    deviceId,
    'message.updated',
    ({ data }) => 'status' in data.update && data.update.status === 'read',
  );
  assert.deepEqual([read.data.messageId, read.data.chat], [record.id, bobsPhone.jid]);
  const stored = await rig.stores.messages.find(deviceId, record.id);
  assert.equal(stored?.state, 'read');
  assert.ok(stored.acceptedAt !== null && stored.deliveredAt !== null && stored.readAt !== null);
});

test('driver: sends to a LID', async () => {
  await using rig = await startRig();
  const { lid } = await rig.phones.add(bob, 'Bob');
  const { watched } = await rig.linked(ann, 'Ann');
  await rig.send(watched, lid, { kind: 'text', text: 'by LID' });
  await eventually('the text on the phone', async () =>
    (await rig.phones.messages(bob)).find((message) => message.text === 'by LID'),
  );
});

test('driver: sends an image with its caption and measures', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { watched } = await rig.linked(ann, 'Ann');
  const bytes = await picture();
  const { record } = await rig.send(watched, bob, await imageOf(rig.network, bytes, 'the sea'));
  assert.equal(record.media?.sha256, sha256(bytes));
  const received = await eventually('the image on the phone', async () =>
    (await rig.phones.messages(bob)).find((message) => message.id === record.id),
  );
  assert.partialDeepStrictEqual(received.image, {
    mimetype: 'image/jpeg',
    bytes: bytes.length,
    sha256: sha256(bytes),
    width: 320,
    height: 200,
    caption: 'the sea',
  });
});

test('driver: receives a text with both addresses', async () => {
  await using rig = await startRig();
  const bobsPhone = await rig.phones.add(bob, 'Bob');
  const { deviceId } = await rig.linked(ann, 'Ann');
  const [id] = await rig.phones.write(bob, { to: ann, text: 'hello Ann' });
  const { message } = (await rig.event(deviceId, 'message.received')).data;
  assert.deepEqual(
    { ...message, timestamp: '' },
    {
      id,
      chat: bobsPhone.jid,
      chatNumber: bob,
      chatLid: bobsPhone.lid,
      from: bobsPhone.jid,
      fromNumber: bob,
      fromLid: bobsPhone.lid,
      pushName: 'Bob',
      isGroup: false,
      timestamp: '',
      type: 'text',
      text: 'hello Ann',
      quotedMessageId: null,
      media: null,
      ...noParts,
      viewOnce: false,
      unavailable: null,
    },
  );
});

test('driver: receives an image and downloads it', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  const bytes = await picture();
  const [id] = await rig.phones.write(bob, { to: ann, imageBase64: bytes.toString('base64'), caption: 'look' });
  const { message } = (await rig.event(deviceId, 'message.received')).data;
  assert.deepEqual([message.type, message.text], ['image', 'look']);
  assert.equal(message.id, id);
  const record = await rig.stores.messages.find(deviceId, message.id);
  const chunks = await Array.fromAsync(await watched.session.downloadMedia(record!, 5_000));
  assert.equal(sha256(Buffer.concat(chunks)), message.media?.sha256);
});

test('driver: a quote, a reaction, an edit and a revoke', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  const { record } = await rig.send(watched, bob, { kind: 'text', text: 'question?' });
  await eventually('the text on the phone', async () => (await rig.phones.messages(bob)).length > 0);
  const [id] = await rig.phones.write(bob, { to: ann, text: 'answer', quotedId: record.id });
  const { message } = (await rig.event(deviceId, 'message.received')).data;
  assert.equal(message.quotedMessageId, record.id);

  await rig.phones.request('POST', `/phones/${bob}/messages/${record.id}/react`, { emoji: '👍' });
  const reaction = await rig.event(deviceId, 'message.updated', ({ data }) => 'reaction' in data.update);
  assert.equal(reaction.data.messageId, record.id);
  assert.ok('reaction' in reaction.data.update && reaction.data.update.reaction === '👍');
  assert.equal(reaction.data.update.from.number, bob);

  await rig.phones.request('POST', `/phones/${bob}/messages/${id}/edit`, { text: 'better answer' });
  const edit = await rig.event(deviceId, 'message.updated', ({ data }) => 'text' in data.update);
  assert.deepEqual([edit.data.messageId, edit.data.update], [id, { text: 'better answer' }]);
  assert.equal((await rig.stores.messages.find(deviceId, id!))?.text, 'better answer');

  await rig.phones.request('POST', `/phones/${bob}/messages/${id}/revoke`);
  const revoke = await rig.event(deviceId, 'message.deleted');
  assert.deepEqual([revoke.data.messageId, revoke.data.by.number], [id, bob]);
  assert.notEqual((await rig.stores.messages.find(deviceId, id!))?.deletedAt, null);
});

test('driver: what the phone itself writes is message.sent with source phone', async () => {
  await using rig = await startRig();
  const bobsPhone = await rig.phones.add(bob, 'Bob');
  const { deviceId } = await rig.linked(ann, 'Ann');
  await rig.phones.write(ann, { to: bob, text: 'from my phone' });
  const { data } = await rig.event(deviceId, 'message.sent');
  assert.deepEqual([data.source, data.message.text, data.message.chat], ['phone', 'from my phone', bobsPhone.jid]);
});

test('driver: a call rings and ends', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId } = await rig.linked(ann, 'Ann');
  await rig.phones.request('POST', `/phones/${bob}/call`, { to: ann, video: true });
  const offer = await rig.event(deviceId, 'call', ({ data }) => data.status === 'offer');
  assert.deepEqual([offer.data.fromNumber, offer.data.isVideo, offer.data.isGroup], [bob, true, false]);
  await rig.phones.request('DELETE', `/calls/${offer.data.callId}`);
  const end = await rig.event(deviceId, 'call', ({ data }) => data.status !== 'offer');
  assert.equal(end.data.callId, offer.data.callId);
});

test('driver: two linked accounts write to each other', async () => {
  await using rig = await startRig();
  const one = await rig.linked(ann, 'Ann');
  const two = await rig.linked(bob, 'Bob');
  await rig.send(one.watched, bob, { kind: 'text', text: 'ping' });
  assert.equal((await rig.event(two.deviceId, 'message.received')).data.message.text, 'ping');
  await rig.send(two.watched, ann, { kind: 'text', text: 'pong' });
  assert.equal((await rig.event(one.deviceId, 'message.received')).data.message.text, 'pong');
});

test('driver: looks numbers up', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  await rig.phones.add('551187654321', 'Bia');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  assert.equal(await watched.session.lookUp(bob), `${bob}@s.whatsapp.net`);
  assert.equal(await watched.session.lookUp('5511987654321'), '551187654321@s.whatsapp.net');
  assert.equal(await watched.session.lookUp('4915299999999'), null);
  const kept = await rig.stores.credentials.readKeys(deviceId, 'number', [bob]);
  assert.match(Buffer.from(kept.get(bob)!).toString(), new RegExp(`^${bob}@s\\.whatsapp\\.net \\d+$`));
});

test('driver: a note to oneself', async () => {
  await using rig = await startRig();
  const { deviceId, watched, account } = await rig.linked(ann, 'Ann');
  const { record } = await rig.send(watched, ann, { kind: 'text', text: 'milk' });
  const note = await eventually('the note on the phone', async () =>
    (await rig.phones.messages(ann)).find((message) => message.text === 'milk'),
  );
  assert.equal(note.id, record.id);
  const { message } = (await rig.event(deviceId, 'message.sent')).data;
  assert.deepEqual([message.chat, message.from], [account.jid, account.jid]);
});

test('driver: media that the network has no more', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  await rig.phones.write(bob, { to: ann, imageBase64: (await picture()).toString('base64') });
  const { message } = (await rig.event(deviceId, 'message.received')).data;
  const record = await rig.stores.messages.find(deviceId, message.id);
  await rig.phones.request('PUT', '/faults', { mediaStatus: 404 });
  await assert.rejects(watched.session.downloadMedia(record!, 5_000), {
    name: 'NotFound',
    message: 'The network no longer has this media; the phone was asked to upload it again, try later',
  });
  await rig.phones.request('PUT', '/faults', { mediaStatus: 503 });
  await assert.rejects(watched.session.downloadMedia(record!, 5_000), {
    name: 'SendMediaFailed',
    message: "Failed to fetch the media: the network's media host answered HTTP 503",
  });
  await assert.rejects(rig.send(watched, bob, await imageOf(rig.network, await picture())), {
    name: 'SendMediaFailed',
    message: "Failed to send media message: the network's media host answered HTTP 503",
  });
  const text = await rig.stores.messages.find(
    deviceId,
    (await rig.send(watched, bob, { kind: 'text', text: 'x' })).record.id,
  );
  await assert.rejects(watched.session.downloadMedia(text!, 5_000), { name: 'NotFound' });
});
