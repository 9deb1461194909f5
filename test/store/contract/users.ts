/** The contract of users and API keys. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OpenStore, bytes, withStore } from './fixture.ts';

export const usersContract = (open: OpenStore): void => {
  const key = { name: 'ci', hint: 'wxyz', createdAt: 5, expiresAt: null };

  describe('users', () => {
    it(
      'creates, finds, lists and updates',
      withStore(open, async ({ stores: { users }, userId }) => {
        const ann = await users.create('ann', 3, 7);
        assert.deepEqual(ann, { id: ann.id, name: 'ann', deviceLimit: 3, createdAt: 7 });
        assert.deepEqual(await users.find(ann.id), ann);
        assert.deepEqual(await users.findByName('ann'), ann);
        assert.equal(await users.findByName('bob'), null);
        assert.deepEqual(
          (await users.list()).map(({ id }) => id),
          [userId, ann.id],
        );
        assert.deepEqual(await users.update(ann.id, { deviceLimit: 9 }), { ...ann, deviceLimit: 9 });
        assert.deepEqual(await users.update(ann.id, { name: 'anna' }), { ...ann, name: 'anna', deviceLimit: 9 });
        await assert.rejects(users.update(9999, { name: 'x' }), { name: 'NotFound' });
      }),
    );

    it(
      'has one user of a name',
      withStore(open, async ({ stores: { users } }) => {
        const ann = await users.create('ann', 3, 7);
        await assert.rejects(users.create('owner', 1, 1), { name: 'Conflict' });
        await assert.rejects(users.update(ann.id, { name: 'owner' }), { name: 'Conflict' });
        await users.update(ann.id, { name: 'ann' });
      }),
    );

    it(
      'deletes a user without devices, and the keys with the user',
      withStore(open, async ({ stores: { users, devices }, userId, device }) => {
        await users.createKey({ ...key, userId, hash: bytes('hash') });
        const { id } = await device();
        await assert.rejects(users.delete(userId), { name: 'Conflict' });
        await devices.delete(id);
        await users.delete(userId);
        assert.equal(await users.find(userId), null);
        assert.equal(await users.findByKeyHash(bytes('hash'), 10), null);
        await assert.rejects(users.delete(userId), { name: 'NotFound' });
      }),
    );
  });

  describe('API keys', () => {
    it(
      'finds a key by its hash until it expires or is revoked',
      withStore(open, async ({ stores: { users }, userId }) => {
        const lasting = await users.createKey({ ...key, userId, hash: bytes('one') });
        const passing = await users.createKey({ ...key, userId, hash: bytes('two'), expiresAt: 100 });
        const found = await users.findByKeyHash(bytes('one'), 10);
        assert.deepEqual(found, { user: await users.find(userId), key: lasting });
        assert.equal((await users.findByKeyHash(bytes('two'), 99))?.key.id, passing.id);
        assert.equal(await users.findByKeyHash(bytes('two'), 100), null);
        assert.equal(await users.findByKeyHash(bytes('three'), 10), null);
        assert.equal(await users.revokeKey(userId, lasting.id, 50), true);
        assert.equal(await users.findByKeyHash(bytes('one'), 51), null);
        assert.equal((await users.listKeys(userId))[0]?.revokedAt, 50);
        assert.equal((await users.listKeys(userId)).length, 2);
      }),
    );

    it(
      'has up to 1,000 keys of a user that work, and the newest 1,000 of those that have ended',
      withStore(open, async ({ stores: { users }, userId, execute }) => {
        const make = (n: number) => users.createKey({ ...key, userId, hash: bytes(`${n}`) });
        // Each by itself would take a transaction of several milliseconds.
        const others = Array.from({ length: 980 }, (_, n) => `(${userId}, 'ci', 'wxyz', '\\x${n + 10_000}0', 5)`);
        await execute(`insert into api_keys (user_id, name, hint, hash, created_at) values ${others.join(', ')}`);
        const full = { name: 'Conflict', message: 'The account has the maximum of 1,000 API keys; revoke one first' };
        await Promise.all(Array.from({ length: 20 }, (_, n) => make(n)));
        const made = await users.listKeys(userId);
        assert.equal(made.length, 1_000);
        await assert.rejects(make(1_000), full);
        const other = await users.create('ann', 3, 7);
        await users.createKey({ ...key, userId: other.id, hash: bytes('of ann') });
        const [first, second] = made;
        await users.revokeKey(userId, first!.id, 50);
        await users.updateKey(userId, second!.id, { expiresAt: 20 });
        await Promise.all([make(1_000), make(1_001)]);
        await assert.rejects(users.updateKey(userId, second!.id, { expiresAt: null }), full);
        assert.equal((await users.listKeys(userId)).length, 1_002);
        const [last = 0] = made.map(({ id }) => id).slice(-20);
        await execute(
          `update api_keys set revoked_at = 50 where user_id = ${userId} and id > ${second!.id} and id < ${last}`,
        );
        for (const { id } of made.slice(-20)) await users.revokeKey(userId, id, 50);
        for (let n = 0; n < 2; n += 1) {
          const { id } = await make(2_000 + n);
          await users.revokeKey(userId, id, 50);
        }
        const left = await users.listKeys(userId);
        assert.equal(left.filter(({ id }) => id === first!.id).length, 0, 'the oldest is gone');
        assert.ok(left.length <= 1_003, `${left.length} keys`);
      }),
    );

    it(
      "leaves another user's key alone",
      withStore(open, async ({ stores: { users }, userId }) => {
        const ann = await users.create('ann', 3, 7);
        const made = await users.createKey({ ...key, userId, hash: bytes('one') });
        assert.equal(await users.revokeKey(ann.id, made.id, 50), false);
        assert.equal(await users.revokeKey(userId, 9999, 50), false);
        assert.notEqual(await users.findByKeyHash(bytes('one'), 51), null);
      }),
    );

    it(
      'keeps the latest use',
      withStore(open, async ({ stores: { users }, userId }) => {
        const made = await users.createKey({ ...key, userId, hash: bytes('one') });
        assert.equal(made.lastUsedAt, null);
        await users.touchKeys(new Map([[made.id, 70]]));
        await users.touchKeys(new Map([[made.id, 60]]));
        assert.equal((await users.listKeys(userId))[0]?.lastUsedAt, 70);
      }),
    );
  });
};
