/** From nothing to a conversation: a text, an image, an answer, the signed webhook, and all of it again after a restart. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { type Installation, startInstallation } from '../support/installation.ts';
import { type Receiver, startReceiver, verify } from '../support/receiver.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilEvent, untilOpen, untilShown } from './steps.ts';

const picture = (format: 'png' | 'jpeg' | 'gif' | 'webp', alpha = 1): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 48, channels: 4, background: { r: 10, g: 120, b: 200, alpha } } })
    .toFormat(format)
    .toBuffer();

describe('the first message', () => {
  let installation: Installation;
  let receiver: Receiver;
  let id: number;
  before(async () => {
    // Port 0 is another one after a restart.
    installation = await startInstallation({ HANDSET_PUBLIC_URL: 'https://handset.example.com' });
    receiver = await startReceiver();
    await addPhones(installation);
    id = await linkDevice(installation, ada, { webhookUrl: `${receiver.url}/hook` });
  });
  after(async () => {
    await installation[Symbol.asyncDispose]();
    await receiver.close();
  });

  it('a text is on the phone when the answer says success, and counts once', async () => {
    const sent = await installation.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message: 'Hello, Bob' });
    assert.equal(sent.status, 200);
    assert.deepEqual(Object.keys(sent.body), ['status', 'messageId']);
    assert.equal(sent.body.status, 'success');
    const shown = await untilShown(installation, bob, 'Hello, Bob');
    assert.equal(shown.id, sent.body.messageId);
    assert.equal((await installation.api.get(`/devices/${id}`)).body.device.messagesSent, 1);
  });

  for (const [format, mimetype] of [
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
    ['gif', 'image/jpeg'],
    ['webp', 'image/jpeg'],
  ] as const) {
    it(`a ${format} arrives as ${mimetype}, with its dimensions and caption`, async () => {
      const mediaBase64 = (await picture(format)).toString('base64');
      const body = { toNumber: bob, mediaBase64, mediaCaption: `a ${format}` };
      const sent = await installation.api.post(`/devices/${id}/messages/media`, body);
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      const { image } = await untilShown(installation, bob, `a ${format}`);
      assert.equal(image!.mimetype, mimetype);
      assert.deepEqual([image!.width, image!.height], [64, 48]);
    });
  }

  it('a transparent webp arrives as PNG, and a data URL is taken', async () => {
    const bytes = await picture('webp', 0.5);
    const mediaBase64 = `data:image/webp;base64,${bytes.toString('base64')}`;
    const body = { toNumber: bob, mediaBase64, mediaCaption: 'see-through' };
    assert.equal((await installation.api.post(`/devices/${id}/messages/media`, body)).status, 200);
    assert.equal((await untilShown(installation, bob, 'see-through')).image!.mimetype, 'image/png');
  });

  it('an answer of the phone reaches the webhook, signed, with both addresses', async () => {
    await untilShown(installation, bob, 'Hello, Bob');
    await installation.phones.write(bob, { to: ada, text: 'Hello, Ada' });
    const [post] = await receiver.until(1, ({ event }) => event.type === 'message.received');
    const { secret } = (await installation.api.get(`/devices/${id}/webhook`)).body.webhook;
    verify(secret, post!);
    const { message } = post!.event.data as { message: Record<string, unknown> };
    const phone = await installation.phones.get(bob);
    assert.equal(message.text, 'Hello, Ada');
    assert.equal(message.chat, phone.jid);
    assert.equal(message.fromNumber, bob);
    assert.equal(message.fromLid, phone.lid);
    assert.equal(message.pushName, 'Bob');
    const logged = await untilEvent(installation, id, 'message.received');
    assert.equal(logged.id, post!.headers['webhook-id']);
  });

  it('a text to the LID lands in the same chat', async () => {
    const { lid, jid } = await installation.phones.get(bob);
    const sent = await installation.api.post(`/devices/${id}/messages/text`, { to: lid, message: 'by LID' });
    assert.equal(sent.status, 200);
    await untilShown(installation, bob, 'by LID');
    const event = await untilEvent(
      installation,
      id,
      'message.sent',
      (data: { message: { id: string } }) => data.message.id === sent.body.messageId,
    );
    assert.equal((event.data as { message: { chat: string } }).message.chat, jid);
  });

  it('receipts come as message.updated, and move the state of the message on', async () => {
    const sent = await installation.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message: 'read me' });
    const { messageId } = sent.body;
    await untilShown(installation, bob, 'read me');
    await installation.phones.request('POST', `/phones/${bob}/messages/${messageId}/read`);
    const read = (data: { messageId: string; update: { status: string } }): boolean =>
      data.messageId === messageId && data.update.status === 'read';
    await untilEvent(installation, id, 'message.updated', read);
    const { message } = (await installation.api.get(`/devices/${id}/messages/${messageId}`)).body;
    assert.equal(message.state, 'read');
  });

  it('a number that nobody has is a 400, and no message', async () => {
    const count = (await installation.api.get(`/devices/${id}`)).body.device.messagesSent;
    const body = { toNumber: '4915550009999', message: 'anybody?' };
    const sent = await installation.api.post(`/devices/${id}/messages/text`, body);
    assert.equal(sent.status, 400);
    assert.match(sent.body.status.message, /toNumber/);
    assert.equal((await installation.api.get(`/devices/${id}`)).body.device.messagesSent, count);
  });

  it('the same Idempotency-Key gives the same message', async () => {
    const body = { toNumber: bob, message: 'only once' };
    const headers = { 'idempotency-key': 'order-17' };
    const first = await installation.api.post(`/devices/${id}/messages/text`, body, { headers });
    const second = await installation.api.post(`/devices/${id}/messages/text`, body, { headers });
    assert.deepEqual(second.body, first.body);
    const other = await installation.api.post(
      `/devices/${id}/messages/text`,
      { ...body, message: 'another' },
      { headers },
    );
    assert.equal(other.status, 400);
    await untilShown(installation, bob, 'only once');
    const copies = (await installation.phones.messages(bob)).filter((message) => message.text === 'only once');
    assert.equal(copies.length, 1);
  });

  it('after a restart it sends without a scan, and the secret and the log are as they were', async () => {
    const earlier = await eventsOf(installation, id);
    await installation.restart();
    await untilOpen(installation, id);
    const sent = await installation.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message: 'still here' });
    assert.equal(sent.status, 200);
    await untilShown(installation, bob, 'still here');
    assert.deepEqual((await eventsOf(installation, id)).slice(0, earlier.length), earlier);
    await receiver.until(1, ({ body }) => body.includes(sent.body.messageId));
  });

  it('every phone decrypted everything', async () => {
    const stats = await installation.phones.stats();
    assert.equal(stats.decryptFailures, 0);
    assert.equal(stats.retriesAsked, 0);
  });
});
