/**
 * Settled turns and additional webhooks, killed at each of their steps: a turn is reported once, and every webhook gets every event of
 * its own, again only when its post was out.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Mortal, startMortal } from '../../support/mortal.ts';
import { type Received, type Receiver, startReceiver } from '../../support/receiver.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, linkDevice } from '../steps.ts';

interface Turn {
  readonly messages: readonly { readonly id: string }[];
}

describe('a turn and several webhooks, killed', () => {
  const eve = '4915550003333';
  let mortal: Mortal;
  let receiver: Receiver;
  let id: number;
  /** Message ids by writer; nobody answers. */
  const written = new Map<string, string[]>();
  /** Turns that are to be reported, by their messages. */
  const expected: string[] = [];

  before(async () => {
    mortal = await startMortal();
    receiver = await startReceiver();
    await addPhones(mortal);
    await mortal.phones.add(eve, 'Eve');
    id = await linkDevice(mortal);
    const add = async (base: string, path: string, more: object): Promise<void> => {
      const added = await mortal.api.post(`${base}/webhooks`, { url: `${receiver.url}${path}`, ...more });
      assert.equal(added.status, 200, JSON.stringify(added.body));
    };
    await add(`/devices/${id}`, '/bot', { events: ['chat.settled'], settleSeconds: 1 });
    await add('', '/all', { events: ['message.received', 'chat.settled'], settleSeconds: 1 });
    await add(`/devices/${id}`, '/loose', { events: ['message.received'], ordered: false });
  });
  after(async () => {
    await mortal[Symbol.asyncDispose]();
    await receiver.close();
  });

  const write = async (number: string, count = 1): Promise<void> => {
    const ids = await mortal.phones.write(number, { to: ada, text: 'number {n}', count });
    const all = [...(written.get(number) ?? []), ...ids];
    written.set(number, all);
    expected.push(all.join());
  };

  const at =
    (path: string, type: string) =>
    (post: Received): boolean =>
      post.path === path && post.event.type === type;
  const eventsAt = (path: string, type: string): number =>
    new Set(receiver.received.filter(at(path, type)).map(({ event }) => event.id)).size;
  const pendingAt = async (base: string, skipped: number): Promise<number> => {
    const { webhooks } = (await mortal.api.get(`${base}/webhooks`)).body;
    const paths = webhooks.slice(skipped).map((hook: { id: string }) => `${base}/webhooks/${hook.id}/deliveries`);
    const pages = await Promise.all(paths.map((path: string) => mortal.api.get(`${path}?state=pending`)));
    return pages.reduce((sum, { body }) => sum + body.deliveries.length, 0);
  };

  /** Everything is reported, posted and recorded. */
  const untilTold = async (): Promise<void> => {
    const messages = [...written.values()].flat().length;
    await eventually(
      'all turns and messages at all webhooks',
      () =>
        ['/bot', '/all'].every((path) => eventsAt(path, 'chat.settled') === expected.length) &&
        ['/all', '/loose'].every((path) => eventsAt(path, 'message.received') === messages),
    );
    // The first webhook of a device is its own, which has no URL.
    await eventually(
      'nothing pending',
      async () => (await pendingAt(`/devices/${id}`, 1)) + (await pendingAt('', 0)) === 0,
    );
    const { events } = (await mortal.api.get(`/devices/${id}/events?types=chat.settled&limit=1000`)).body;
    const turns = events.map(({ data }: { data: Turn }) => data.messages.map((message) => message.id).join());
    assert.deepEqual(turns.toSorted(), expected.toSorted());
  };

  /** Posts since `from`, by webhook and event. */
  const postsSince = (from: number): ReadonlyMap<string, readonly Received[]> =>
    Map.groupBy(receiver.received.slice(from), ({ path, event }) => `${path} ${event.type} ${event.id}`);
  /** How often each came, always with the same body. */
  const counts = (from: number, named: (post: string) => boolean = () => true): number[] =>
    [...postsSince(from)].flatMap(([post, posts]) => {
      assert.equal(new Set(posts.map(({ body }) => body)).size, 1);
      return named(post) ? [posts.length] : [];
    });
  const onlyOnce = (found: readonly number[]): void => assert.deepEqual([...new Set(found)], [1]);

  it('when the message is stored and its receipt is not out: the turn has it once', async () => {
    await mortal.trap({ when: 'after', call: 'commit', deviceId: id, holding: 'message.received' });
    await write(bob);
    await mortal.held(1);
    await mortal.kill();
    await mortal.restart();
    await untilTold();
  });

  it('when the first of two turns is reported, and not claimed: each is reported once', async () => {
    const from = receiver.received.length;
    await mortal.trap({ when: 'after', call: 'publish', deviceId: null, holding: 'chat.settled' });
    await Promise.all([write(bob), write(eve)]);
    await mortal.ended();
    await mortal.restart();
    await untilTold();
    onlyOnce(counts(from, (post) => post.includes('chat.settled')));
  });

  it('when a delivery is claimed, and not posted: every webhook gets all of its own, once and in order', async () => {
    const from = receiver.received.length;
    await mortal.trap({ when: 'after', call: 'claim', deviceId: id });
    await write(bob, 3);
    await mortal.held(1);
    await mortal.kill();
    assert.equal(receiver.received.length, from);
    await mortal.restart();
    await untilTold();
    onlyOnce(counts(from));
    const ordered = receiver.received.slice(from).filter(at('/all', 'message.received'));
    const idOf = ({ event }: Received): string => (event.data as { message: { id: string } }).message.id;
    assert.deepEqual(ordered.map(idOf), written.get(bob)!.slice(-3));
  });

  it('when posts are out, and not recorded: these come again, under the same id, and nothing else does', async () => {
    const from = receiver.received.length;
    await mortal.trap({ when: 'before', call: 'record', deviceId: id });
    await write(bob, 2);
    await mortal.held(1);
    await mortal.kill();
    await receiver.left();
    const out = new Set(postsSince(from).keys());
    await mortal.restart();
    await untilTold();
    onlyOnce(counts(from, (post) => !out.has(post)));
    assert.deepEqual([...new Set(counts(from, (post) => out.has(post)))], [2]);
  });

  it('when posts are recorded: what is does not come again', async () => {
    const from = receiver.received.length;
    await mortal.trap({ when: 'after', call: 'record', deviceId: id });
    await write(eve);
    await mortal.held(1);
    await mortal.kill();
    await receiver.left();
    const out = new Set(postsSince(from).keys());
    await mortal.restart();
    await untilTold();
    // Of those that were out, the other webhook's may have ended after the record.
    assert.equal(Math.min(...counts(from, (post) => out.has(post))), 1);
  });
});
