/** The contract of additional webhooks and their queues. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Webhook, WebhookSettings } from '../../../src/domain/webhooks/webhook.ts';
import {
  chatA,
  chatB,
  dayMs,
  type Fixture,
  hook,
  lidA,
  messageData,
  type OpenStore,
  received,
  record,
  withStore,
} from './fixture.ts';
import { claimAll, messageIds, refused, result } from './outbox/outbox.steps.ts';
import { logOf } from '../../support/event-log.ts';

const settings = (rest: Partial<WebhookSettings> = {}): WebhookSettings => ({
  url: 'https://hooks.example.com/more',
  events: ['message.received'],
  chats: null,
  headers: {},
  enabled: true,
  ordered: true,
  settleSeconds: null,
  ...rest,
});

export const makeWebhook = (
  { stores, userId }: Fixture,
  deviceId: number | null,
  rest: Partial<WebhookSettings> = {},
): Promise<Webhook> => stores.webhooks.create(userId, deviceId, settings(rest));

/** Ids of the webhooks that something was claimed for, and of what. */
const claimed = async (fixture: Fixture): Promise<[number, string][]> => {
  return (await claimAll(fixture)).map((due) => [due.webhookId, messageIds([due])[0]!]);
};

const page = { limit: 100, cursor: null };

export const webhooksContract = (open: OpenStore): void => {
  describe('additional webhooks', () => {
    it(
      'are kept with their secret, found by their user and device alone, and gone with their deliveries',
      withStore(open, async (fixture) => {
        const { stores, device, userId } = fixture;
        const { webhooks } = stores;
        const { id } = await device();
        const other = await device();
        const made = await makeWebhook(fixture, id, { headers: { 'x-key': 'sesame' }, chats: { only: [chatA] } });
        assert.match(made.secret, /^whsec_/);
        assert.deepEqual([made.headers, made.chats], [{ 'x-key': 'sesame' }, { only: [chatA] }]);
        assert.deepEqual(await webhooks.find(userId, id, made.id), made);
        assert.equal(await webhooks.find(userId, other.id, made.id), null);
        assert.equal(await webhooks.find(userId, null, made.id), null);
        const stranger = await stores.users.create('stranger', 1, 0);
        assert.equal(await webhooks.find(stranger.id, id, made.id), null);
        const rotated = await webhooks.rotateSecret(made, 5_000);
        assert.deepEqual([rotated.previousSecret, rotated.previousSecretUntil], [made.secret, 5_000]);
        assert.notEqual(rotated.secret, made.secret);
        const changed = await webhooks.update(rotated, { ordered: false, headers: {} });
        assert.deepEqual([changed.ordered, changed.headers, changed.secret], [false, {}, rotated.secret]);
        const again = await fixture.reopen();
        const primary = await again.webhooks.primary(id);
        assert.deepEqual(await again.webhooks.list(userId, id), [primary, changed]);
        await again.changes.commit(id, { facts: [received('M1')] });
        await again.webhooks.delete(changed);
        assert.deepEqual(await again.webhooks.list(userId, id), [primary]);
        assert.deepEqual(await claimed(fixture), []);
        assert.deepEqual((await again.outbox.list(id, page, changed.id)).items, []);
      }),
    );

    it(
      'get what they ask for: kinds, chats by either address, devices made later, and nothing of another user',
      withStore(open, async (fixture) => {
        const { stores, device } = fixture;
        const { id } = await device();
        const wide = await makeWebhook(fixture, null);
        const only = await makeWebhook(fixture, id, { chats: { only: [lidA] } });
        const except = await makeWebhook(fixture, id, { chats: { except: [chatA] } });
        const calls = await makeWebhook(fixture, id, { events: ['call'] });
        const off = await makeWebhook(fixture, id, { enabled: false });
        const later = await device();
        const stranger = await stores.users.create('stranger', 5, 0);
        const theirs = await device({ userId: stranger.id });
        const ofA = { message: { ...messageData('A', chatA), chatLid: lidA } };
        await stores.changes.commit(id, {
          facts: [{ ...received('A'), event: { type: 'message.received', data: ofA } }, received('B', chatB)],
        });
        await stores.changes.commit(later.id, { facts: [received('L')] });
        await stores.changes.commit(theirs.id, { facts: [received('T')] });
        const all = (await claimed(fixture)).sort(([a, x], [b, y]) => a - b || x.localeCompare(y));
        assert.deepEqual(all, [
          [wide.id, 'A'],
          [wide.id, 'B'],
          [wide.id, 'L'],
          [only.id, 'A'],
          [except.id, 'B'],
        ]);
        assert.deepEqual((await stores.outbox.list(null, page, wide.id)).items.length, 3);
        const first = await stores.outbox.list(null, { limit: 2, cursor: null }, wide.id);
        const rest = await stores.outbox.list(null, { limit: 2, cursor: first.nextCursor }, wide.id);
        assert.deepEqual([first.items.length, rest.items.length, rest.nextCursor], [2, 1, null]);
        for (const none of [calls, off]) assert.deepEqual((await stores.outbox.list(null, page, none.id)).items, []);
      }),
    );

    it(
      'are posted to in order by chat, each for itself, and at once without order',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device(hook);
        const primary = (await stores.webhooks.primary(id)).id;
        const one = await makeWebhook(fixture, id);
        const two = await makeWebhook(fixture, id);
        const free = await makeWebhook(fixture, id, { ordered: false });
        await stores.changes.commit(id, { facts: [received('1'), received('2'), received('3')] });
        const due = await claimAll(fixture);
        const of = (webhookId: number) => messageIds(due.filter((each) => each.webhookId === webhookId));
        assert.deepEqual([of(primary), of(one.id), of(two.id), of(free.id)], [['1'], ['1'], ['1'], ['1', '2', '3']]);
        assert.equal(new Set(due.map((each) => each.id)).size, due.length);
        // The first fails: it holds back its own chat, and no other webhook.
        const next = { state: 'pending', nextAttemptAt: clock.now() + 10_000, ...refused } as const;
        const results = due.map((each) => result(fixture, each, each.webhookId === one.id ? next : {}));
        assert.deepEqual(await stores.outbox.record(results), []);
        assert.deepEqual(await claimed(fixture), [
          [primary, '2'],
          [two.id, '2'],
        ]);
        assert.equal((await stores.webhooks.get(one.id)).failingSince, clock.now());
        assert.equal((await stores.webhooks.get(two.id)).lastSuccessAt, clock.now());
        assert.equal((await stores.webhooks.get(primary)).failingSince, null);
        await clock.advance(10_000);
        assert.deepEqual(await claimed(fixture), [[one.id, '1']]);
      }),
    );

    it(
      'recover as one: what waits at any device of an account-wide webhook is brought forward',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const [a, b] = [await device(), await device()];
        const wide = await makeWebhook(fixture, null);
        for (const { id } of [a, b]) await stores.changes.commit(id, { facts: [received('1')] });
        const due = await claimAll(fixture);
        const later = { state: 'pending', nextAttemptAt: clock.now() + 3_600_000, ...refused } as const;
        await stores.outbox.record(due.map((each) => result(fixture, each, later)));
        await clock.advance(120_000);
        await stores.changes.commit(a.id, { facts: [received('2', chatB)] });
        const [probe] = await claimAll(fixture);
        assert.equal(probe!.webhookId, wide.id);
        assert.deepEqual(await stores.outbox.record([result(fixture, probe!)]), [
          { webhookId: wide.id, wasLong: true },
        ]);
        assert.equal(await stores.outbox.bringForward(wide.id, clock.now()), 2);
        assert.deepEqual(await claimed(fixture), [
          [wide.id, '1'],
          [wide.id, '1'],
        ]);
        assert.equal((await stores.webhooks.get(wide.id)).failingSince, null);
      }),
    );

    it(
      'show attempts, and are retried one by one and together',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device();
        const made = await makeWebhook(fixture, null);
        await stores.changes.commit(id, { facts: [received('1'), received('2', chatB)] });
        const due = await claimAll(fixture);
        const failed = { state: 'failed', nextAttemptAt: null, ...refused } as const;
        await stores.outbox.record(due.map((each) => result(fixture, each, failed)));
        const { items } = await stores.outbox.list(null, { ...page, state: 'failed' }, made.id);
        assert.deepEqual(
          items.map(({ lastStatus, lastResponse }) => [lastStatus, lastResponse]),
          [
            [500, 'no'],
            [500, 'no'],
          ],
        );
        const tried = await stores.outbox.attempts(null, items[0]!.id, page, made.id);
        assert.deepEqual(
          tried?.items.map(({ status, error }) => [status, error]),
          [[500, 'HTTP 500']],
        );
        assert.equal(await stores.outbox.attempts(id, items[0]!.id, page), null, 'it is none of the own webhook');
        assert.equal(await stores.outbox.retry(id + 1, items[0]!.id, clock.now(), made.id), null);
        assert.equal((await stores.outbox.retry(null, items[0]!.id, clock.now(), made.id))?.state, 'pending');
        assert.equal(await stores.outbox.retryFailed(null, null, clock.now(), made.id), 1);
        assert.equal((await claimed(fixture)).length, 2);
      }),
    );

    it(
      'stop after a 410 and while disabled, and go on where they stood',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device();
        const made = await makeWebhook(fixture, id);
        await stores.changes.commit(id, { facts: [received('1')] });
        await stores.webhooks.disable(made, clock.now());
        assert.deepEqual([await claimed(fixture), await stores.outbox.nextDueAt()], [[], null]);
        await stores.changes.commit(id, { facts: [received('2')] });
        assert.deepEqual([await claimed(fixture), await stores.outbox.nextDueAt()], [[], null]);
        const after = await stores.webhooks.update(made, { enabled: true });
        assert.equal(after.disabledAt, null);
        for (const name of ['1', '2']) {
          const due = await claimAll(fixture);
          assert.deepEqual(messageIds(due), [name]);
          await stores.outbox.record(due.map((each) => result(fixture, each)));
        }
        await stores.changes.commit(id, { facts: [received('3')] });
        await stores.webhooks.update(made, { enabled: false });
        assert.deepEqual(await claimed(fixture), []);
        assert.equal((await stores.webhooks.get(made.id)).enabled, false);
      }),
    );

    it(
      'cost one stored payload, however many they are; a dead one hides no other; the 101st is refused',
      withStore(open, async (fixture) => {
        const { stores, device, userId } = fixture;
        const { id } = await device();
        const made: Webhook[] = [];
        for (let n = 0; n < 100; n += 1) made.push(await makeWebhook(fixture, id));
        await assert.rejects(makeWebhook(fixture, id), { name: 'Conflict', message: /100 webhooks/ });
        const text = 'x'.repeat(50_000);
        const data = { message: messageData('L', chatA, text) };
        await stores.changes.commit(id, {
          facts: [{ ...received('L'), event: { type: 'message.received', data } }],
        });
        assert.equal((await logOf(stores.events, id)).length, 1);
        const full = made.slice(0, 99).map((each) => each.id);
        assert.deepEqual(await claimAll(fixture, { limit: 1, exceptUsers: [fixture.userId] }), []);
        const due = await claimAll(fixture, { limit: 1, exceptWebhooks: full });
        assert.deepEqual(
          due.map((each) => each.webhookId),
          [made[99]!.id],
        );
        const rest = await claimAll(fixture, { limit: 200 });
        assert.equal(rest.length, 99);
        assert.ok(
          rest.every(({ event }) => event.event.type === 'message.received' && event.event.data.message.text === text),
        );
        const bytes = await fixture.bytesIn('deliveries');
        assert.ok(bytes > 0 && bytes < 100 * 500, `${bytes} bytes for 100 deliveries of a text of 50,000`);
        assert.equal((await stores.webhooks.list(userId, id)).length, 101);
      }),
    );

    it(
      'keep old events for as long as one waits, and lose them with their deliveries',
      withStore(open, async (fixture) => {
        const { stores, clock, device } = fixture;
        const { id } = await device();
        const made = await makeWebhook(fixture, id);
        const dead = await makeWebhook(fixture, id);
        await stores.changes.commit(id, { messages: [record('1')], facts: [received('1'), received('2', chatB)] });
        const due = await claimAll(fixture);
        await stores.outbox.record(
          due.filter((each) => each.webhookId === made.id).map((each) => result(fixture, each)),
        );
        await clock.advance(40 * dayMs);
        const prune = () =>
          stores.retention.prune({ events: clock.now() - 7 * dayMs, messages: 0, inbox: 0, idempotency: 0 });
        assert.equal(await prune(), 1, 'both wait for the other webhook; nothing does for the creation of the device');
        await stores.webhooks.update(dead, { enabled: false });
        assert.equal(await prune(), 2);
        assert.deepEqual((await stores.outbox.list(id, page, made.id)).items, []);
        await stores.webhooks.update(dead, { enabled: true });
        assert.deepEqual([await claimed(fixture), await stores.outbox.nextDueAt()], [[], null]);
      }),
    );

    it(
      'go with their device, and with their user',
      withStore(open, async (fixture) => {
        const { stores, device, userId } = fixture;
        const { id } = await device();
        const made = await makeWebhook(fixture, id);
        const wide = await makeWebhook(fixture, null);
        await stores.changes.commit(id, { facts: [received('1')] });
        await stores.devices.delete(id);
        assert.equal(await stores.webhooks.find(userId, id, made.id), null);
        assert.deepEqual([await claimed(fixture), await stores.outbox.nextDueAt()], [[], null]);
        assert.deepEqual((await stores.outbox.list(null, page, wide.id)).items, []);
        await stores.users.delete(userId);
        await assert.rejects(stores.webhooks.get(wide.id), { name: 'NotFound' });
      }),
    );
  });
};
