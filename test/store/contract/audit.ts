/** The contract of the audit log: an entry in the transaction of every change, and none that is taken away. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Actor } from '../../../src/domain/audit.ts';
import { type OpenStore, bytes, hook, withStore } from './fixture.ts';

const operator: Actor = { kind: 'operator', address: '127.0.0.1' };
const everything = { limit: 1000, cursor: null };

export const auditContract = (open: OpenStore): void => {
  describe('the audit log', () => {
    it(
      'has an entry of every change of users, keys, devices and webhooks, with its actor',
      withStore(open, async ({ stores, clock }) => {
        const { users, devices, webhooks, audit } = stores;
        const ann = await users.create('ann', 3, clock.now(), operator);
        await users.update(ann.id, { deviceLimit: 9 }, operator);
        const wish = { userId: ann.id, name: 'ci', hint: 'wxyz', hash: bytes('h'), createdAt: 5, expiresAt: null };
        const key = await users.createKey(wish, operator);
        const byKey: Actor = { kind: 'key', userId: ann.id, keyId: key.id, address: '::1' };
        const { id } = await devices.create({ userId: ann.id, name: null, webhookEvents: [], ...hook }, 0, byKey);
        await devices.update(id, { name: 'x', webhookUrl: null, subscriptionStatus: 'inactive' }, byKey);
        await webhooks.rotateSecret(await webhooks.primary(id), 0, byKey);
        await webhooks.disable(await webhooks.primary(id), clock.now());
        await devices.delete(id, byKey);
        await users.updateKey(ann.id, key.id, { expiresAt: 7 }, operator);
        await users.revokeKey(ann.id, key.id, clock.now(), operator);
        await users.delete(ann.id, operator);
        const entries = (await audit.list(everything)).items.toReversed().slice(1);
        const ofDevice = { userId: ann.id, deviceId: id };
        const ofKey = { userId: ann.id, keyId: key.id };
        assert.deepEqual(
          entries.map(({ action, actor, subject, detail }) => [action, actor, subject, detail]),
          [
            ['user.created', operator, { userId: ann.id }, { name: 'ann', deviceLimit: 3 }],
            ['user.updated', operator, { userId: ann.id }, { deviceLimit: 9 }],
            ['key.created', operator, ofKey, { name: 'ci', expiresAt: null }],
            ['device.created', byKey, ofDevice, {}],
            [
              'device.updated',
              byKey,
              ofDevice,
              { members: ['name', 'subscriptionStatus'], subscriptionStatus: 'inactive' },
            ],
            ['webhook.updated', byKey, ofDevice, { members: ['webhookUrl'] }],
            ['webhook.secret_rotated', byKey, ofDevice, {}],
            ['webhook.disabled', { kind: 'service' }, ofDevice, { reason: 'the endpoint answered 410' }],
            ['device.deleted', byKey, ofDevice, {}],
            ['key.expiry_changed', operator, ofKey, { expiresAt: 7 }],
            ['key.revoked', operator, ofKey, {}],
            ['user.deleted', operator, { userId: ann.id }, {}],
          ],
        );
        assert.ok(entries.every(({ at }) => at === clock.now()));
      }),
    );

    it(
      'has none of what was refused',
      withStore(open, async ({ stores: { users, devices, audit } }) => {
        const before = (await audit.list(everything)).items.length;
        await assert.rejects(users.create('owner', 1, 1));
        await assert.rejects(users.update(999, { name: 'x' }));
        await assert.rejects(users.delete(999));
        await assert.rejects(devices.update(999, { name: 'x' }));
        await assert.rejects(devices.delete(999));
        assert.equal(await users.revokeKey(1, 999, 0), false);
        assert.equal(await users.updateKey(1, 999, { expiresAt: 0 }), null);
        assert.equal((await audit.list(everything)).items.length, before);
      }),
    );

    it(
      'is paged, newest first',
      withStore(open, async ({ stores: { audit } }) => {
        for (const deviceId of [1, 2, 3]) await audit.append(operator, 'device.restarted', { deviceId });
        const first = await audit.list({ limit: 2, cursor: null });
        const second = await audit.list({ limit: 2, cursor: first.nextCursor });
        assert.deepEqual(
          [...first.items, ...second.items].map(({ subject }) => subject.deviceId),
          [3, 2, 1, undefined],
        );
        assert.equal(second.nextCursor, null);
      }),
    );
  });
};
