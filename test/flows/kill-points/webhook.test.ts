/** Deliveries, killed at each of their steps: every event reaches the endpoint, under one id and in order. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Mortal, startMortal } from '../../support/mortal.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, linkDevice, untilOpen } from '../steps.ts';

describe('a delivery that is killed', () => {
  let mortal: Mortal;
  let receiver: Receiver;
  let id: number;
  before(async () => {
    mortal = await startMortal();
    receiver = await startReceiver();
    await addPhones(mortal);
    id = await linkDevice(mortal, ada, { webhookUrl: receiver.url, webhookEvents: ['message.received'] });
    await write(1);
    await receiver.until(1);
    await delivered(1);
  });
  after(async () => {
    await mortal[Symbol.asyncDispose]();
    await receiver.close();
  });

  const write = (count: number): Promise<readonly string[]> =>
    mortal.phones.write(bob, { to: ada, text: 'number {n}', count });

  const delivered = (count: number): Promise<unknown> =>
    eventually(`${count} delivered`, async () => {
      const { deliveries } = (await mortal.api.get(`/devices/${id}/deliveries?state=delivered&limit=1000`)).body;
      return deliveries.length === count && deliveries;
    });

  const idsOf = (posts: Receiver['received']): string[] =>
    posts.map(({ event }) => (event.data as { message: { id: string } }).message.id);

  /** The network has its receipts, and knows nothing of them any more. */
  const settled = (): Promise<unknown> =>
    eventually('an empty queue', async () => Object.keys((await mortal.phones.stats()).pending as object).length === 0);

  it('after the receipt, before any post: all come after the restart, in order', async () => {
    const from = receiver.received.length;
    receiver.answer('hang');
    const written = await write(5);
    await receiver.until(from + 1);
    await settled();
    await mortal.kill();
    receiver.answer({ status: 200 });
    await mortal.restart();
    await untilOpen(mortal, id);
    await delivered(6);
    const posts = receiver.received.slice(from);
    // The first was out when it died, and nobody had heard its answer.
    assert.deepEqual(idsOf(posts), [written[0], ...written]);
    assert.equal(posts[0]!.event.id, posts[1]!.event.id);
    assert.equal(posts[0]!.body, posts[1]!.body);
  });

  it('after the claim, before the post: it is posted at once after the restart', async () => {
    const from = receiver.received.length;
    await mortal.trap({ when: 'after', call: 'claim', deviceId: id });
    const written = await write(3);
    await mortal.held(1);
    await settled();
    await mortal.kill();
    assert.equal(receiver.received.length, from);
    await mortal.restart();
    // The claim of a dead process holds nothing up: its lease would have lasted for half a minute.
    await receiver.until(from + 3, undefined, 20_000);
    await delivered(9);
    assert.deepEqual(idsOf(receiver.received.slice(from)), written);
  });

  it('after the posts of a run, before their outcomes are written: they come again, under the same ids', async () => {
    await untilOpen(mortal, id);
    const from = receiver.received.length;
    await mortal.trap({ when: 'before', call: 'record', deviceId: id });
    const written = await write(3);
    await mortal.held(1);
    await settled();
    await mortal.kill();
    await mortal.restart();
    await delivered(12);
    const posts = receiver.received.slice(from);
    const twice = posts.length - written.length;
    assert.ok(twice >= 1 && twice <= written.length);
    assert.deepEqual(idsOf(posts), [...written.slice(0, twice), ...written]);
    assert.equal(new Set(posts.map(({ event }) => event.id)).size, 3);
  });

  it('between two posts of a run: what was recorded does not come again, and the rest comes in order', async () => {
    await untilOpen(mortal, id);
    const from = receiver.received.length;
    let posts = 0;
    receiver.answer(() => {
      posts += 1;
      return posts === 3 ? 'hang' : { status: 200 };
    });
    const written = await write(5);
    await receiver.until(from + 3);
    // Those before the one that hangs are on record although their run goes on.
    await delivered(14);
    await settled();
    await mortal.kill();
    receiver.answer({ status: 200 });
    await mortal.restart();
    await delivered(17);
    assert.deepEqual(idsOf(receiver.received.slice(from)), [...written.slice(0, 3), ...written.slice(2)]);
  });

  it('after its outcome is written: it does not come again', async () => {
    await untilOpen(mortal, id);
    const from = receiver.received.length;
    await mortal.trap({ when: 'after', call: 'record', deviceId: id });
    const written = await write(1);
    await mortal.held(1);
    await mortal.kill();
    await mortal.restart();
    await delivered(18);
    await untilOpen(mortal, id);
    // What is written later arrives later: when it is there, nothing older is under way.
    const [later] = await write(1);
    await delivered(19);
    assert.deepEqual(idsOf(receiver.received.slice(from)), [...written, later]);
  });
});
