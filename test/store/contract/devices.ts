/** The contract of devices, their webhooks, and the removal of every trace. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventKinds } from '../../../src/domain/event.ts';
import { defaultSettings } from '../../../src/domain/device.ts';
import { type OpenStore, bytes, chatA, hook, received, record, withStore } from './fixture.ts';

const account = { jid: chatA, lid: null, phoneNumber: '4915112345678', name: 'Ann', platform: 'android' };

export const devicesContract = (open: OpenStore): void => {
  describe('devices', () => {
    it(
      'creates and finds',
      withStore(open, async ({ stores: { devices }, clock, userId, device }) => {
        const made = await device({ ...hook, webhookEvents: ['call', 'message.sent'] });
        assert.deepEqual(made, {
          id: made.id,
          userId,
          name: 'Phone',
          webhookUrl: hook.webhookUrl,
          webhookEvents: ['call', 'message.sent'],
          messagesSent: 0,
          subscriptionStatus: 'active',
          createdAt: clock.now(),
          account: null,
          announcedOpen: false,
          pairingAt: null,
          lastSeenAt: null,
          settings: defaultSettings,
          limits: null,
        });
        assert.deepEqual(await devices.find(made.id), made);
        assert.equal(await devices.find(made.id + 1), null);
        assert.deepEqual(await devices.findMany([made.id + 1, made.id]), [made]);
        assert.deepEqual(await devices.findMany([]), []);
      }),
    );

    it(
      'tells whose a device is, until it is gone',
      withStore(open, async ({ stores: { devices }, userId, device }) => {
        const { id } = await device();
        assert.equal(await devices.ownerOf(id), userId);
        assert.equal(await devices.ownerOf(id), userId);
        assert.equal(await devices.ownerOf(id + 1), null);
        const gone = devices.delete(id);
        // With the first step of the removal: by then no part of the device is to be had.
        while ((await devices.find(id)) !== null) await new Promise((resolve) => setImmediate(resolve));
        assert.equal(await devices.ownerOf(id), null);
        await gone;
        assert.equal(await devices.ownerOf(id), null);
      }),
    );

    it(
      'keeps to the limit when many are created at once',
      withStore(open, async ({ stores: { devices, users }, userId, device }) => {
        await users.update(userId, { deviceLimit: 3 });
        const results = await Promise.allSettled(Array.from({ length: 10 }, () => device()));
        assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3);
        for (const result of results) {
          if (result.status === 'rejected') assert.equal(result.reason.name, 'DeviceLimitReached');
        }
        assert.equal(await devices.countActive(userId), 3);
        await assert.rejects(device(), /3 active devices.*allows 3/);
      }),
    );

    it(
      'counts an inactive device again when it becomes active',
      withStore(open, async ({ stores: { devices, users }, userId, device }) => {
        await users.update(userId, { deviceLimit: 1 });
        const first = await device();
        const idle = await devices.update(first.id, { subscriptionStatus: 'inactive' });
        assert.equal(idle.subscriptionStatus, 'inactive');
        const second = await device();
        await assert.rejects(devices.update(first.id, { subscriptionStatus: 'active' }), {
          name: 'DeviceLimitReached',
        });
        await devices.update(second.id, { subscriptionStatus: 'active' }); // it is already: no place is taken
        await devices.delete(second.id);
        assert.equal((await devices.update(first.id, { subscriptionStatus: 'active' })).subscriptionStatus, 'active');
      }),
    );

    it(
      'updates what is given and nothing else',
      withStore(open, async ({ stores: { devices }, device }) => {
        const made = await device(hook);
        assert.deepEqual(await devices.update(made.id, {}), made);
        const renamed = await devices.update(made.id, { name: 'Desk', webhookEvents: ['call'] });
        assert.deepEqual(renamed, { ...made, name: 'Desk', webhookEvents: ['call'] });
        assert.equal((await devices.update(made.id, { webhookUrl: null })).webhookUrl, null);
        await assert.rejects(devices.update(made.id + 1, { name: 'x' }), { name: 'DeviceNotFound' });
      }),
    );

    it(
      'lists by id, a page at a time, of one user or of all',
      withStore(open, async ({ stores: { devices, users }, clock, userId, device }) => {
        const own = [await device(), await device(), await device()].map(({ id }) => id);
        const ann = await users.create('ann', 5, 0);
        const other = await devices.create(
          { userId: ann.id, name: 'x', webhookUrl: null, webhookEvents: [] },
          clock.now(),
        );
        const first = await devices.list(userId, { limit: 2, cursor: null });
        assert.deepEqual(
          first.items.map(({ id }) => id),
          own.slice(0, 2),
        );
        const rest = await devices.list(userId, { limit: 2, cursor: first.nextCursor });
        assert.deepEqual(
          rest.items.map(({ id }) => id),
          own.slice(2),
        );
        assert.equal(rest.nextCursor, null);
        const all = await devices.list(null, { limit: 4, cursor: null });
        assert.deepEqual(
          all.items.map(({ id }) => id),
          [...own, other.id],
        );
        assert.equal(all.nextCursor, null);
      }),
    );

    it(
      'tells what has changed since it was told before',
      withStore(open, async ({ stores: { devices, changes }, clock, userId, device }) => {
        const { id } = await device(hook);
        const told = async () => {
          const { items } = await devices.list(userId, { limit: 9, cursor: null });
          assert.deepEqual(items[0] ?? null, await devices.find(id));
          return items[0];
        };
        assert.equal((await told())?.messagesSent, 0);
        await changes.commit(id, { sent: 2 });
        assert.equal((await told())?.messagesSent, 2);
        await changes.commit(id, { account, announcedOpen: true, lastSeenAt: clock.now() });
        const linked = await told();
        assert.deepEqual([linked?.account, linked?.announcedOpen, linked?.lastSeenAt], [account, true, clock.now()]);
        await devices.update(id, { name: 'Desk', webhookUrl: null });
        assert.deepEqual([(await told())?.name, (await told())?.webhookUrl], ['Desk', null]);
        await devices.delete(id);
        assert.equal(await told(), undefined);
      }),
    );

    it(
      'refuses a malformed cursor by name',
      withStore(open, async ({ stores: { devices, messages, outbox }, userId, device }) => {
        const { id } = await device();
        for (const cursor of ['', 'x', 'W10', Buffer.from('["devices","1"]').toString('base64url')]) {
          const refused = { name: 'InvalidRequest', message: /cursor/ };
          await assert.rejects(devices.list(userId, { limit: 2, cursor }), refused);
          await assert.rejects(messages.list(id, { limit: 2, cursor }), refused);
          await assert.rejects(outbox.list(id, { limit: 2, cursor }), refused);
        }
      }),
    );

    it(
      'removes every trace, and never gives the id again',
      withStore(open, async (fixture) => {
        const { stores, device } = fixture;
        const { id } = await device(hook);
        await stores.changes.commit(id, {
          account,
          credentials: bytes('creds'),
          keys: [{ type: 'session', id: 'a', value: bytes('k') }],
          inbox: [{ key: 'ab', plaintext: bytes('p') }],
          messages: Array.from({ length: 700 }, (_, index) => record(`M${index}`)),
          facts: Array.from({ length: 700 }, (_, index) => received(`M${index}`)),
        });
        await stores.idempotency.begin({
          deviceId: id,
          key: 'k',
          fingerprint: 'f',
          messageId: 'm',
          runId: 'r',
          now: 1,
        });
        await stores.devices.delete(id);
        assert.equal(await stores.devices.find(id), null);
        assert.equal(await stores.credentials.loadCredentials(id), null);
        assert.equal((await stores.credentials.readKeys(id, 'session', ['a'])).size, 0);
        assert.equal(await stores.credentials.readInbox(id, 'ab'), null);
        assert.deepEqual((await stores.messages.list(id, { limit: 5, cursor: null })).items, []);
        assert.deepEqual((await stores.events.listAfter(id, { limit: 5, cursor: null })).items, []);
        assert.deepEqual((await stores.outbox.list(id, { limit: 5, cursor: null })).items, []);
        assert.equal(await stores.outbox.nextDueAt(), null);
        await assert.rejects(stores.webhooks.primary(id), { name: 'DeviceNotFound' });
        await assert.rejects(stores.devices.delete(id), { name: 'DeviceNotFound' });
        await assert.rejects(stores.devices.update(id, { name: 'x' }), { name: 'DeviceNotFound' });
        assert.notEqual((await device()).id, id);
      }),
    );
  });

  describe('webhooks', () => {
    it(
      'makes a secret once, and keeps the former one after a rotation',
      withStore(open, async ({ stores: { webhooks }, device, reopen }) => {
        const { id } = await device(hook);
        const [first, again] = await Promise.all([webhooks.primary(id), webhooks.primary(id)]);
        assert.match(first.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
        assert.deepEqual(again, first);
        assert.deepEqual(
          { ...first, secret: '' },
          {
            id: first.id,
            userId: first.userId,
            deviceId: id,
            isPrimary: true,
            url: hook.webhookUrl,
            events: eventKinds,
            chats: null,
            headers: {},
            enabled: true,
            ordered: true,
            settleSeconds: null,
            createdAt: first.createdAt,
            secret: '',
            previousSecret: null,
            previousSecretUntil: null,
            disabledAt: null,
            failingSince: null,
            lastSuccessAt: null,
          },
        );
        const rotated = await webhooks.rotateSecret(first, 5000);
        assert.notEqual(rotated.secret, first.secret);
        assert.equal(rotated.previousSecret, first.secret);
        assert.equal(rotated.previousSecretUntil, 5000);
        assert.deepEqual(await (await reopen()).webhooks.primary(id), rotated);
      }),
    );

    it(
      'is disabled until the URL is set again, and its deliveries wait meanwhile',
      withStore(open, async ({ stores: { webhooks, devices, changes, outbox }, device }) => {
        const { id } = await device(hook);
        await webhooks.disable(await webhooks.primary(id), 77);
        assert.equal((await webhooks.primary(id)).disabledAt, 77);
        await changes.commit(id, { facts: [received('M1')] });
        const waiting = (await outbox.list(id, { limit: 5, cursor: null })).items;
        assert.deepEqual(
          waiting.map(({ state }) => state),
          ['pending'],
        );
        assert.equal(await outbox.nextDueAt(), null);
        await devices.update(id, { name: 'x' });
        assert.equal(await outbox.nextDueAt(), null);
        assert.equal((await webhooks.primary(id)).disabledAt, 77);
        await devices.update(id, hook);
        assert.equal((await webhooks.primary(id)).disabledAt, null);
        assert.notEqual(await outbox.nextDueAt(), null);
        await changes.commit(id, { facts: [received('M2')] });
        assert.equal((await outbox.list(id, { limit: 5, cursor: null })).items.length, 2);
      }),
    );

    it(
      'is not there for an unknown device',
      withStore(open, async ({ stores: { webhooks } }) => {
        await assert.rejects(webhooks.primary(99), { name: 'DeviceNotFound' });
      }),
    );
  });
};
