/** A changed HANDSET_PUBLIC_URL: media of messages from before has URLs below the new one, in answers, events and webhooks. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import type { EventEnvelope } from '../../src/domain/event.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { ada, addPhones, bob, linkDevice, untilEvent, untilOpen } from '../flows/steps.ts';

const former = 'https://former.example.com';
const present = 'https://present.example.com/handset';

interface Shown {
  readonly id: string;
  readonly timestamp: string;
  readonly media: { readonly url: string };
}

const messageIn = (event: EventEnvelope): Shown => (event.data as { message: Shown }).message;

const isOf =
  (messageId: string) =>
  ({ event }: Received): boolean =>
    (event.type === 'message.received' || event.type === 'message.sent') && messageIn(event).id === messageId;

describe('a changed public URL', () => {
  let installation: Installation;
  let receiver: Receiver;
  let id: number;
  const urlBelow = (address: string, { id: messageId }: Pick<Shown, 'id'>): string =>
    `${address}/v1/devices/${id}/messages/${messageId}/media`;
  const get = async (path: string) => (await installation.api.get(`/devices/${id}${path}`)).body;

  before(async () => {
    receiver = await startReceiver();
    installation = await startInstallation({ HANDSET_PUBLIC_URL: former });
    await addPhones(installation);
    id = await linkDevice(installation, ada, { webhookUrl: receiver.url });
  });
  after(async () => {
    await installation[Symbol.asyncDispose]();
    await receiver.close();
  });

  it('old messages, received and sent, have URLs below it', async () => {
    const picture = await sharp({ create: { width: 320, height: 200, channels: 3, background: '#1a7' } })
      .png()
      .toBuffer();
    const imageBase64 = picture.toString('base64');
    const [receivedId] = await installation.phones.write(bob, { to: ada, imageBase64 });
    const sent = await installation.api.post(`/devices/${id}/messages/media`, {
      toNumber: bob,
      mediaBase64: imageBase64,
    });
    assert.equal(sent.status, 200);
    const events = await Promise.all(
      (['message.received', 'message.sent'] as const).map((type) => untilEvent(installation, id, type)),
    );
    const messages = events.map(messageIn);
    assert.deepEqual(
      messages.map(({ id: messageId }) => messageId),
      [receivedId, sent.body.messageId],
    );
    for (const message of messages) {
      assert.equal(message.media.url, urlBelow(former, message));
      await receiver.until(1, isOf(message.id));
      assert.equal(
        messageIn(receiver.received.filter(isOf(message.id))[0]!.event).media.url,
        urlBelow(former, message),
      );
    }

    await installation.restart({ publicUrl: present });
    await untilOpen(installation, id);
    const listed = (await get('/messages')).messages as Shown[];
    for (const [index, message] of messages.entries()) {
      const url = urlBelow(present, message);
      assert.equal((await get(`/messages/${message.id}`)).message.media.url, url);
      assert.equal(listed.find(({ id: messageId }) => messageId === message.id)?.media.url, url);
      const shown = (await get(`/events/${events[index]!.id}`)).event;
      assert.deepEqual(shown, {
        ...events[index],
        data: { ...(events[index]!.data as object), message: { ...message, media: { ...message.media, url } } },
      });
    }
    const [chat] = (await get('/chats')).chats;
    assert.equal(chat.lastMessage.media.url, urlBelow(present, chat.lastMessage));

    const { deliveries } = await get('/deliveries');
    for (const message of messages) {
      const delivery = deliveries.find(({ eventId }: { eventId: string }) =>
        events.some((event) => event.id === eventId && messageIn(event).id === message.id),
      );
      assert.equal((await installation.api.post(`/devices/${id}/deliveries/${delivery.id}/retry`)).status, 200);
      await receiver.until(2, isOf(message.id));
      const [first, again] = receiver.received.filter(isOf(message.id)).map(({ event }) => event);
      assert.equal(messageIn(again!).media.url, urlBelow(present, message));
      assert.equal(messageIn(again!).timestamp, messageIn(first!).timestamp);
    }
  });
});
