/** The contract of events that tell of changed chats and contacts, and of devices that come and go. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KeyChange, SessionChanges } from '../../../src/domain/changes.ts';
import { logOf } from '../../support/event-log.ts';
import { quietGroup } from '../../support/groups.ts';
import { bytes, chatA, chatB, dayMs, type Fixture, lidA, type OpenStore, record, withStore } from './fixture.ts';
import { claimAll, refused, result } from './outbox/outbox.steps.ts';
import { makeWebhook } from './webhooks.ts';

const group = '120363000000000001@g.us';
const ofA = { chat: chatA, chatNumber: '4915112345678', chatLid: null };
const page = { limit: 100, cursor: null };

const pair: readonly KeyChange[] = [
  { type: 'lid-mapping', id: '4915112345678', value: bytes('98765432101234') },
  { type: 'lid-mapping', id: '98765432101234_reverse', value: bytes('4915112345678') },
];

const archive = (archived: boolean): SessionChanges => ({
  appState: [{ kind: 'archive', jid: chatA, value: archived ? { archived: true } : null }],
});

export const updatesContract = (open: OpenStore): void => {
  /** `told`: what the log has since it was last asked. */
  const withLog = (
    run: (of: {
      readonly commit: (changes: SessionChanges) => Promise<unknown>;
      readonly told: () => Promise<unknown[]>;
      readonly fixture: Fixture;
    }) => Promise<void>,
  ) =>
    withStore(open, async (fixture) => {
      const { id } = await fixture.device();
      let seen = 0;
      await run({
        fixture,
        commit: (changes) => fixture.stores.changes.commit(id, changes),
        async told() {
          const log = (await logOf(fixture.stores.events, id)).slice(seen);
          seen += log.length;
          return log.map(({ event }) => event.data);
        },
      });
    });

  describe('updates of chats and contacts', () => {
    it(
      'are told once for each change, with what has changed, and not for what repeats',
      withLog(async ({ commit, told, fixture: { clock } }) => {
        await commit(archive(true));
        assert.deepEqual(await told(), [{ ...ofA, change: { archived: true } }]);
        await commit(archive(true));
        assert.deepEqual(await told(), []);
        const until = clock.now() + dayMs;
        await commit({
          appState: [
            { kind: 'archive', jid: chatA, value: null },
            { kind: 'pin', jid: chatA, value: { at: 5 } },
            { kind: 'mute', jid: chatA, value: { until } },
          ],
        });
        assert.deepEqual(await told(), [{ ...ofA, change: { archived: false, pinned: true, mutedUntil: until } }]);
        await commit({ appState: [{ kind: 'mute', jid: chatA, value: { until: null } }] });
        assert.deepEqual(await told(), [{ ...ofA, change: { mutedUntil: 'always' } }]);
        await commit({ appState: [{ kind: 'mute', jid: chatA, value: { until: clock.now() - 1 } }] });
        assert.deepEqual(await told(), [{ ...ofA, change: { mutedUntil: null } }]);
      }),
    );

    it(
      'tell of what is read or marked as unread, not of messages',
      withLog(async ({ commit, told }) => {
        await commit({
          messages: [record('1', { direction: 'in', state: 'delivered', acceptedAt: null, deliveredAt: 1 })],
        });
        assert.deepEqual(await told(), []);
        await commit({ chats: [{ chat: chatA, read: ['1'] }] });
        assert.deepEqual(await told(), [{ ...ofA, change: { unread: 0 } }]);
        await commit({ chats: [{ chat: chatA, read: ['1'] }] });
        assert.deepEqual(await told(), []);
        await commit({ chats: [{ chat: chatA, unread: 'marked' }] });
        assert.deepEqual(await told(), [{ ...ofA, change: { unread: 1 } }]);
        await commit({ chats: [{ chat: chatA, unread: 'marked' }] });
        assert.deepEqual(await told(), []);
        await commit({ chats: [{ chat: chatA, unread: 0 }] });
        assert.deepEqual(await told(), [{ ...ofA, change: { unread: 0 } }]);
      }),
    );

    it(
      'tell the timers of persons and groups, under the names that a pair has just given',
      withLog(async ({ commit, told }) => {
        await commit({ keys: [{ type: 'chat-timer', id: lidA, value: bytes('86400 5') }] });
        const ofLid = { chat: lidA, chatNumber: null, chatLid: lidA };
        assert.deepEqual(await told(), [{ ...ofLid, change: { expiresInSeconds: 86_400 } }]);
        await commit({ keys: [...pair, { type: 'chat-timer', id: lidA, value: bytes('0 9') }] });
        assert.deepEqual(await told(), [{ ...ofA, chatLid: lidA, change: { expiresInSeconds: null } }]);
        const kept = { ...quietGroup, jid: group };
        await commit({ groups: [kept], chats: [{ chat: group, at: 1 }] });
        // A chat that is not there, and the first description of a group, are no news.
        assert.deepEqual(await told(), []);
        await commit({
          groups: [
            { ...kept, expiresInSeconds: 604_800 },
            { ...quietGroup, expiresInSeconds: null },
          ],
        });
        const ofGroup = { chat: group, chatNumber: null, chatLid: null };
        assert.deepEqual(await told(), [{ ...ofGroup, change: { expiresInSeconds: 604_800 } }]);
      }),
    );

    it(
      'tell of names, blocks and facts of people; the first that is learned of them is no change',
      withLog(async ({ commit, told }) => {
        const ofPerson = { jid: chatA, number: '4915112345678', lid: null };
        const saved = { name: 'Ann', firstName: null, lid: null };
        await commit({ appState: [{ kind: 'contact', jid: chatA, value: saved }] });
        assert.deepEqual(await told(), [{ ...ofPerson, change: { name: 'Ann' } }]);
        await commit({ contacts: [{ jid: chatA, pushName: 'annie', about: 'Hi', picture: '1', blocked: true }] });
        assert.deepEqual(await told(), [{ ...ofPerson, change: { blocked: true } }]);
        await commit({ contacts: [{ jid: chatA, pushName: 'anna', about: null, picture: '2', blocked: true }] });
        assert.deepEqual(await told(), [{ ...ofPerson, change: { pushName: 'anna', about: null, picture: '2' } }]);
        await commit({ appState: [{ kind: 'contact', jid: chatA, value: null }] });
        assert.deepEqual(await told(), [{ ...ofPerson, change: { name: null } }]);
        await commit({ blockedReset: true, contacts: [{ jid: chatB, blocked: true }] });
        assert.deepEqual(await told(), [
          { ...ofPerson, change: { blocked: false } },
          { jid: chatB, number: '4915187654321', lid: null, change: { blocked: true } },
        ]);
      }),
    );

    it(
      'tell what a collection that comes anew has in another way, and nothing of one that is loaded',
      withLog(async ({ commit, told }) => {
        const saved = { name: 'Ann', firstName: null, lid: null };
        const whole: SessionChanges = {
          appStateReset: ['archive', 'pin', 'contact'],
          appState: [
            { kind: 'pin', jid: chatB, value: { at: 5 } },
            { kind: 'contact', jid: chatA, value: saved },
          ],
        };
        await commit({ ...archive(true), loaded: true });
        await commit({
          ...whole,
          loaded: true,
          chats: [{ chat: group, unread: 7 }],
          contacts: [{ jid: chatB, blocked: true }],
        });
        await commit(whole);
        assert.deepEqual(await told(), []);
        await commit({ appStateReset: ['archive', 'pin', 'contact'], appState: archive(true).appState! });
        assert.deepEqual(await told(), [
          { chat: chatB, chatNumber: '4915187654321', chatLid: null, change: { pinned: false } },
          { ...ofA, change: { archived: true } },
          { jid: chatA, number: '4915112345678', lid: null, change: { name: null } },
        ]);
      }),
    );

    it(
      'are told once by two commits at once, and posted to webhooks by the chats that they want',
      withLog(async ({ commit, told, fixture }) => {
        const wide = await makeWebhook(fixture, null, { events: ['chat.updated', 'contact.updated'] });
        await makeWebhook(fixture, null, { events: ['chat.updated'], chats: { except: [chatA] } });
        await Promise.all(Array.from({ length: 5 }, () => commit(archive(true))));
        await commit({ contacts: [{ jid: chatA, blocked: true }] });
        assert.equal((await told()).length, 2);
        await fixture.stores.outbox.nextDueAt();
        const due = await claimAll(fixture);
        assert.deepEqual(
          due.map(({ webhookId, event }) => [webhookId, event.event.type]),
          [[wide.id, 'chat.updated']],
          'the contact waits for its chat',
        );
      }),
    );
  });

  describe('the coming and going of devices', () => {
    const kinds = ['device.created', 'device.deleted', 'message.received'] as const;

    it(
      'reaches account-wide webhooks; the last event outlives its device until it is old, also over a restart',
      withStore(open, async (fixture) => {
        const { clock, userId, device } = fixture;
        const wide = await makeWebhook(fixture, null, { events: kinds });
        const { id } = await device({ name: 'Desk' });
        await fixture.stores.changes.commit(id, { messages: [record('1')] });
        const heard: unknown[] = [];
        fixture.stores.onEvents((events) => heard.push(...events.map(({ event, userId: of }) => [of, event])));
        await fixture.stores.devices.delete(id);
        const last = { type: 'device.deleted', data: { name: 'Desk' } };
        assert.deepEqual(heard, [[userId, last]]);
        assert.equal(await fixture.stores.devices.find(id), null);
        assert.deepEqual((await fixture.stores.messages.list(id, page)).items, []);
        const stores = await fixture.reopen();
        await stores.outbox.nextDueAt();
        const [due, ...others] = await claimAll(fixture);
        assert.deepEqual([due?.deviceId, due?.webhookId, due?.event.event, others], [id, wide.id, last, []]);
        await stores.outbox.record([
          result(fixture, due!, { ...refused, state: 'pending', nextAttemptAt: clock.now() + 1_000 }),
        ]);
        await clock.advance(1_000);
        const [again] = await claimAll(fixture);
        assert.deepEqual([again?.id, again?.attempts], [due!.id, 1]);
        await stores.outbox.record([result(fixture, again!)]);
        const [delivery] = (await stores.outbox.list(null, page, wide.id)).items;
        assert.deepEqual([delivery?.deviceId, delivery?.state, delivery?.attempts], [id, 'delivered', 2]);
        await clock.advance(dayMs);
        const before = { events: clock.now(), messages: 0, inbox: 0, idempotency: 0 };
        assert.equal(await stores.retention.prune(before), 1);
        assert.deepEqual((await stores.outbox.list(null, page, wide.id)).items, []);
        assert.equal(await fixture.bytesIn('devices'), 0);
        assert.notEqual((await device()).id, id);
      }),
    );

    it(
      'tells of a creation in the log of the device, and leaves nothing of a device that nobody hears of',
      withStore(open, async (fixture) => {
        const { stores, device } = fixture;
        const wide = await makeWebhook(fixture, null, { events: ['device.created'] });
        const { id } = await device({ name: 'Desk' });
        const created = { type: 'device.created', data: { name: 'Desk' } };
        assert.deepEqual(
          (await stores.events.listAfter(id, { limit: 9, cursor: null })).items.map(({ event }) => event),
          [created],
        );
        await stores.outbox.nextDueAt();
        const [due] = await claimAll(fixture);
        assert.deepEqual([due?.webhookId, due?.event.event], [wide.id, created]);
        await stores.devices.delete(id);
        await stores.outbox.record([result(fixture, due!)]);
        assert.equal(await stores.outbox.nextDueAt(), null);
        for (const table of ['devices', 'events', 'deliveries', 'delivery_queues', 'webhook_queues'])
          assert.equal(await fixture.bytesIn(table), 0, table);
      }),
    );

    it(
      'keeps no user: who has deleted all devices can be removed, with what waits',
      withStore(open, async (fixture) => {
        const { stores, userId, device } = fixture;
        await makeWebhook(fixture, null, { events: kinds });
        const [one, two] = [await device(), await device()];
        await stores.devices.delete(one.id);
        await assert.rejects(stores.users.delete(userId), { name: 'Conflict' });
        const waiting = (await claimAll(fixture)).map(({ deviceId, event }) => [deviceId, event.event.type]);
        assert.deepEqual(
          waiting.toSorted(([a], [b]) => Number(a) - Number(b)),
          [
            [one.id, 'device.deleted'],
            [two.id, 'device.created'],
          ],
        );
        await stores.devices.delete(two.id);
        await stores.users.delete(userId);
        for (const table of ['devices', 'events', 'deliveries', 'attempts', 'delivery_queues'])
          assert.equal(await fixture.bytesIn(table), 0, table);
      }),
    );
  });
};
