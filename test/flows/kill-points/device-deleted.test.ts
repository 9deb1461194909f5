/** The removal of a device, killed at each of its steps: the account's webhook is told of it, again only when the post was out. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Mortal, startMortal } from '../../support/mortal.ts';
import { type Received, type Receiver, startReceiver, verify } from '../../support/receiver.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, linkDevice } from '../steps.ts';

describe('the removal of a device, killed', () => {
  let mortal: Mortal;
  let receiver: Receiver;
  let webhook: string;
  let secret: string;
  let id: number;
  before(async () => {
    mortal = await startMortal();
    receiver = await startReceiver();
    await addPhones(mortal);
    const wish = { url: receiver.url, events: ['device.deleted'] };
    const { body } = await mortal.api.post('/webhooks', wish);
    [webhook, secret] = [`/webhooks/${body.webhook.id}`, body.secret];
  });
  after(async () => {
    await mortal[Symbol.asyncDispose]();
    await receiver.close();
  });

  const create = async (): Promise<void> => {
    id = (await mortal.api.post('/devices', { name: 'Desk' })).body.device.id;
  };
  /** It may die before it answers. */
  const remove = (): Promise<unknown> => mortal.api.delete(`/devices/${id}`).catch(() => null);

  /** The posts of the device's end, once its delivery is recorded. */
  const untilTold = async (): Promise<readonly Received[]> => {
    await eventually('the delivery', async () => {
      const { deliveries } = (await mortal.api.get(`${webhook}/deliveries?state=delivered`)).body;
      return deliveries.some(({ deviceId }: { deviceId: number }) => deviceId === id);
    });
    assert.equal((await mortal.api.get(`/devices/${id}`)).status, 404);
    assert.deepEqual((await mortal.api.get(`${webhook}/deliveries?state=pending`)).body.deliveries, []);
    const posts = receiver.received.filter(({ event }) => event.deviceId === id);
    for (const post of posts) {
      verify(secret, post);
      assert.deepEqual([post.event.type, post.event.data], ['device.deleted', { name: 'Desk' }]);
    }
    return posts;
  };

  it('when it has begun, and most of the device is still there: it is told once', async () => {
    id = await linkDevice(mortal, ada, { name: 'Desk' });
    await mortal.phones.write(bob, { to: ada, text: 'hello' });
    await mortal.trap({ when: 'after', call: 'publish', deviceId: null, holding: 'device.deleted' });
    await remove();
    await mortal.ended();
    await mortal.restart();
    assert.equal((await untilTold()).length, 1);
  });

  it('when the delivery is claimed, and not posted: it is told once', async () => {
    await create();
    await mortal.trap({ when: 'after', call: 'claim', deviceId: id });
    await remove();
    await mortal.held(1);
    await mortal.kill();
    await mortal.restart();
    assert.equal((await untilTold()).length, 1);
  });

  it('when the post is out, and not recorded: it comes again, under the same id', async () => {
    await create();
    await mortal.trap({ when: 'before', call: 'record', deviceId: id });
    await remove();
    await mortal.held(1);
    await mortal.kill();
    await receiver.left();
    await mortal.restart();
    const posts = await untilTold();
    assert.equal(posts.length, 2);
    assert.equal(new Set(posts.map(({ event }) => event.id)).size, 1);
  });
});
