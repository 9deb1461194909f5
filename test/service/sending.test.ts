/** Sending: the order of checks, and links that come and go (docs/spec/messages.md, Sending). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRecipient } from '../../src/domain/jid.ts';
import { HandsetError } from '../../src/errors.ts';
import type { RequestDeadline } from '../../src/service/time/deadline.ts';
import { lostInTheMiddle } from './scripted-network.ts';
import { type Stage, aPng, setStage } from './stage.ts';

const someone = parseRecipient(undefined, '4917000000001');
const text = (stage: Stage, id: number, words = 'hello') =>
  stage.service.sending.send(stage.scope(id), { recipient: someone, content: { kind: 'text', text: words } });
const image = (stage: Stage, id: number, source: { url: string } | { bytes: Uint8Array }) =>
  stage.service.sending.sendFile(stage.scope(id), {
    recipient: someone,
    file: { kind: 'image' },
    source,
    caption: 'a cat',
    deadline: endless(),
  });
/** A request whose time is never up. */
const endless = (): RequestDeadline => ({
  passed: null,
  watch: () => () => undefined,
  signal: new AbortController().signal,
});
const unlinkedDevice = async (stage: Stage): Promise<number> => {
  stage.network.onConnect = (session) => session.offer('ref-1');
  const { device } = await stage.service.devices.create(stage.user.id, {});
  stage.network.onConnect = () => undefined;
  return device.id;
};

test('a text is sent, to the account that the network found, and counted', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.lookUp = async (number) => `${number}9@s.whatsapp.net`;
  const { messageId } = await text(stage, id);
  assert.deepEqual(session.sent, [
    {
      id: messageId,
      recipient: { kind: 'number', number: '4917000000001', jid: '49170000000019@s.whatsapp.net' },
      content: { kind: 'text', text: 'hello' },
    },
  ]);
  assert.equal((await stage.service.devices.get(stage.scope(id))).messagesSent, 1);
});

test('an image goes out from bytes and from a URL', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  await image(stage, id, { bytes: aPng });
  await image(stage, id, { url: 'https://example.com/cat.png' });
  for (const { content } of session.sent) {
    assert.ok(content.kind === 'image');
    assert.equal(content.image.caption, 'a cat');
    assert.deepEqual(await content.image.file.plain.read(0, aPng.length + 1), aPng);
  }
  assert.equal(session.sent.length, 2);
});

test('device before body before connection', async (t) => {
  const stage = await setStage(t);
  const id = await unlinkedDevice(stage);
  await assert.rejects(text(stage, id + 1, ''), { name: 'DeviceNotFound' });
  await assert.rejects(text(stage, id, ''), {
    name: 'InvalidRequest',
    message: /^message must be 1 to 65536 characters/,
  });
  await assert.rejects(text(stage, id, 'x'.repeat(65_537)), { name: 'InvalidRequest' });
  await assert.rejects(image(stage, id, { url: 'ftp://x' }), { name: 'InvalidRequest', message: /^mediaUrl/ });
  await assert.rejects(image(stage, id, { bytes: Buffer.from('no image') }), { name: 'InvalidImage' });
  await assert.rejects(image(stage, id, { bytes: new Uint8Array(10_485_761) }), {
    name: 'PayloadTooLarge',
    message: 'Request payload too large',
  });
  await assert.rejects(text(stage, id), { name: 'DeviceNotAuthenticated' });
  await assert.rejects(image(stage, id, { url: 'https://example.com/huge.png' }), { name: 'DeviceNotAuthenticated' });
});

test('no session: 404, with advice for media; a QR that waits: 422', async (t) => {
  const stage = await setStage(t);
  const id = await unlinkedDevice(stage);
  await assert.rejects(text(stage, id), { name: 'DeviceNotAuthenticated', message: /scan the QR code/ });
  (await stage.session(id)).end({ kind: 'pairing_expired' });
  await assert.rejects(text(stage, id), { name: 'DeviceNotConnected', message: `Device ${id} is not connected` });
  await assert.rejects(image(stage, id, { bytes: aPng }), {
    name: 'DeviceNotConnected',
    message: `Device ${id} is not connected; restart the device or scan the QR code`,
  });
  await stage.service.devices.update(stage.scope(id), { subscriptionStatus: 'inactive' });
  await assert.rejects(text(stage, id), { name: 'DeviceNotConnected' });
});

test('65,536 characters are allowed, also where each is two UTF-16 units', async (t) => {
  const stage = await setStage(t);
  const { id } = await stage.connected();
  await text(stage, id, 'x'.repeat(65_536));
  await text(stage, id, '🐈'.repeat(65_536));
  await assert.rejects(text(stage, id, '🐈'.repeat(65_537)), { name: 'InvalidRequest' });
});

test('an unknown number is a 400 that says so, and costs no message', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.nobody.add('4917000000001');
  await assert.rejects(text(stage, id), { name: 'InvalidRequest', message: /^toNumber .*not on the network/ });
  assert.equal(session.sent.length, 0);
});

test('images that are too large or cannot be fetched', async (t) => {
  const stage = await setStage(t);
  const { id } = await stage.connected();
  await assert.rejects(image(stage, id, { url: 'https://example.com/huge.png' }), { name: 'PayloadTooLarge' });
  await assert.rejects(image(stage, id, { url: 'https://example.com/404' }), { name: 'InvalidRequest' });
});

test('a device that is reconnecting is waited for', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.lose();
  const sending = text(stage, id);
  await stage.clock.advance(1_000);
  const next = await stage.session(id);
  await stage.clock.advance(5_000);
  next.open();
  const { messageId } = await sending;
  assert.deepEqual(
    next.sent.map((message) => message.id),
    [messageId],
  );
});

test('after 10 s the wait for a device is over: 404 for all that wait', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.lose();
  const refused = [1, 2, 3].map(() => assert.rejects(text(stage, id), { name: 'DeviceNotConnected' }));
  await stage.clock.advance(10_000);
  await Promise.all(refused);
});

test('a send right after a crash and a start waits for the device', async (t) => {
  const stage = await setStage(t);
  const { id } = await stage.connected();
  await stage.restart('crash');
  const sending = text(stage, id);
  (await stage.session(id)).open();
  await sending;
  assert.equal((await stage.session(id)).sent.length, 1);
});

test('a link that is lost in the middle of a send: the same message goes out again', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.onSend = async () => {
    // The send fails a moment before the end of the session is told.
    queueMicrotask(() => session.lose());
    throw lostInTheMiddle();
  };
  stage.network.onConnect = (next) => next.open();
  const sending = text(stage, id);
  await stage.clock.advance(2_000);
  const { messageId } = await sending;
  const next = await stage.session(id);
  assert.deepEqual(
    next.sent.map((message) => message.id),
    [messageId],
  );
  assert.equal((await stage.service.devices.get(stage.scope(id))).messagesSent, 1);
});

test('a link that is lost in the middle of a send and stays away: the send failed, not "not connected"', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.onSend = async () => {
    session.lose();
    throw lostInTheMiddle();
  };
  const sending = assert.rejects(text(stage, id), { name: 'SendFailed', message: 'Failed to send message' });
  await stage.clock.advance(15_000);
  await sending;
});

test('what the network refuses is not sent again', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  let tries = 0;
  session.onSend = async () => {
    tries += 1;
    throw new HandsetError('SendMediaFailed', 'Failed to send media message', { cause: new Error('refused') });
  };
  const sending = assert.rejects(image(stage, id, { bytes: aPng }), { name: 'SendMediaFailed' });
  await stage.clock.advance(1_000);
  await sending;
  assert.equal(tries, 1);
});

test('an error that nobody foresaw shows nothing of itself', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.lookUp = () => Promise.reject(new Error('/home/x/secret.ts'));
  const sending = assert.rejects(text(stage, id), { name: 'SendFailed', message: 'Failed to send message' });
  await stage.clock.advance(1_000);
  await sending;
});

test('media of a received message: 404 for what is not there', async (t) => {
  const stage = await setStage(t);
  const { id } = await stage.connected();
  const { devices } = stage.service;
  await assert.rejects(devices.downloadMedia(stage.scope(id), 'nothing'), { message: 'Message not found' });
  const { messageId } = await text(stage, id);
  await assert.rejects(devices.downloadMedia(stage.scope(id), messageId), { message: 'Media not found' });
});

test('the wait for a device ends with the time of its caller', async (t) => {
  const stage = await setStage(t, { requestTimeoutMs: 4_000 });
  const { id, session } = await stage.connected();
  session.lose();
  const sending = assert.rejects(text(stage, id), { name: 'DeviceNotConnected' });
  await stage.clock.advance(3_999);
  await sending;
});
