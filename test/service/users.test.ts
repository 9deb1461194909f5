/** Users and keys (docs/spec/users.md, Users). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setStage } from './stage.ts';

const dayMs = 86_400_000;

test('a key is hs_ and 43 characters, is shown once, and says whose it is', async (t) => {
  const { service, user } = await setStage(t);
  const { key, secret } = await service.users.createKey(user.id, { name: 'laptop', expiresAt: null });
  assert.match(secret, /^hs_[A-Za-z0-9_-]{43}$/);
  assert.equal(key.hint, secret.slice(-4));
  const identity = await service.users.authenticate(secret);
  assert.deepEqual(identity?.user, user);
  assert.equal(identity?.key.id, key.id);
  assert.ok(!JSON.stringify(await service.users.listKeys(user.id)).includes(secret));
});

test('what is no key of anybody is nobody', async (t) => {
  const { service, user } = await setStage(t);
  const { secret } = await service.users.createKey(user.id, { name: 'x', expiresAt: null });
  const last = secret.endsWith('A') ? 'B' : 'A';
  for (const wrong of [
    '',
    'hs_',
    secret.slice(0, -1),
    `${secret}A`,
    secret.slice(0, -1) + last,
    secret.toLowerCase(),
  ]) {
    assert.equal(await service.users.authenticate(wrong), null, wrong);
  }
});

test('several keys are valid at once; a revoked one stops at once, though it was just used', async (t) => {
  const { service, user } = await setStage(t);
  const one = await service.users.createKey(user.id, { name: 'old', expiresAt: null });
  const two = await service.users.createKey(user.id, { name: 'new', expiresAt: null });
  assert.ok(await service.users.authenticate(one.secret));
  assert.ok(await service.users.authenticate(two.secret));
  await service.users.revokeKey(user.id, one.key.id);
  assert.equal(await service.users.authenticate(one.secret), null);
  assert.ok(await service.users.authenticate(two.secret));
});

test('a revocation beats a look-up that began before it', async (t) => {
  const { service, user, store } = await setStage(t);
  const { key, secret } = await service.users.createKey(user.id, { name: 'x', expiresAt: null });
  const { users } = store.stores;
  const find = users.findByKeyHash;
  const { promise, resolve } = Promise.withResolvers<void>();
  users.findByKeyHash = async (hash, now) => {
    const found = await find(hash, now);
    await promise;
    return found;
  };
  const early = service.users.authenticate(secret);
  await service.users.revokeKey(user.id, key.id);
  users.findByKeyHash = find;
  resolve();
  await early;
  assert.equal(await service.users.authenticate(secret), null);
});

test('a key ends when it expires, also one that is in use', async (t) => {
  const { service, user, clock } = await setStage(t);
  const expiresAt = clock.now() + 3_000;
  const { secret } = await service.users.createKey(user.id, { name: 'x', expiresAt });
  assert.ok(await service.users.authenticate(secret));
  await clock.advance(2_999);
  assert.ok(await service.users.authenticate(secret));
  await clock.advance(1);
  assert.equal(await service.users.authenticate(secret), null);
  await assert.rejects(service.users.createKey(user.id, { name: 'y', expiresAt: clock.now() - 1 }), {
    name: 'InvalidRequest',
  });
});

test("nobody revokes another user's key", async (t) => {
  const { service, user } = await setStage(t);
  const { key, secret } = await service.users.createKey(user.id, { name: 'x', expiresAt: null });
  const eve = await service.users.createUser('eve', 1);
  await assert.rejects(service.users.revokeKey(eve.id, key.id), { name: 'NotFound', message: 'Key not found' });
  assert.ok(await service.users.authenticate(secret));
});

test('the last use is written in batches', async (t) => {
  const { service, user, clock, store } = await setStage(t);
  const { secret } = await service.users.createKey(user.id, { name: 'x', expiresAt: null });
  let writes = 0;
  const { users } = store.stores;
  const touch = users.touchKeys;
  users.touchKeys = (used) => {
    writes += 1;
    return touch(used);
  };
  for (let use = 0; use < 20; use += 1) await service.users.authenticate(secret);
  assert.equal(writes, 0);
  await clock.advance(5_000);
  assert.equal(writes, 1);
  assert.equal((await service.users.listKeys(user.id))[0]!.lastUsedAt, Date.UTC(2026, 0, 1));
  await clock.advance(dayMs);
  await service.users.authenticate(secret);
  await service.supervisor.stop();
  assert.equal((await service.users.listKeys(user.id))[0]!.lastUsedAt, clock.now());
});

test('a changed limit is seen by the next request', async (t) => {
  const { service, user } = await setStage(t);
  const { secret } = await service.users.createKey(user.id, { name: 'x', expiresAt: null });
  await service.users.authenticate(secret);
  await service.users.updateUser(user.id, { deviceLimit: 99 });
  assert.equal((await service.users.authenticate(secret))?.user.deviceLimit, 99);
});

test('users: names are taken once, unknown ones are not found, and devices keep a user', async (t) => {
  const stage = await setStage(t);
  const { users } = stage.service;
  await assert.rejects(users.createUser('ada', 1), { name: 'Conflict' });
  const eve = await users.createUser('eve', 1);
  await assert.rejects(users.updateUser(eve.id, { name: 'ada' }), { name: 'Conflict' });
  assert.equal((await users.updateUser(eve.id, { name: 'eva' })).name, 'eva');
  await assert.rejects(users.findUser(eve.id + 1), { name: 'NotFound', message: 'User not found' });
  await assert.rejects(users.createKey(eve.id + 1, { name: 'x', expiresAt: null }), { name: 'NotFound' });
  stage.network.onConnect = (session) => session.offer('ref-1');
  await stage.service.devices.create(stage.user.id, {});
  assert.equal(await users.countActiveDevices(stage.user.id), 1);
  await assert.rejects(users.deleteUser(stage.user.id), { name: 'Conflict' });
  await users.deleteUser(eve.id);
  assert.deepEqual(
    (await users.listUsers()).map(({ name }) => name),
    ['ada'],
  );
});

test('the first start makes the owner with one key, later ones nothing', async (t) => {
  const { service, user } = await setStage(t);
  await service.users.deleteUser(user.id);
  const first = await service.users.bootstrap(null);
  assert.ok(first);
  assert.equal(first.user.name, 'owner');
  assert.equal(first.user.deviceLimit, 10);
  assert.equal((await service.users.authenticate(first.secret))?.user.id, first.user.id);
  assert.equal(await service.users.bootstrap(null), null);
  const other = `hs_${'B'.repeat(43)}`;
  assert.equal(await service.users.bootstrap(other), null);
  assert.equal(await service.users.authenticate(other), null);
});

test('the key of the first start can be set, also when the first attempt at it was cut off', async (t) => {
  const { service, user } = await setStage(t);
  await service.users.deleteUser(user.id);
  await service.users.createUser('owner', 10);
  const secret = `hs_${'A'.repeat(43)}`;
  assert.equal((await service.users.bootstrap(secret))?.secret, secret);
  assert.equal((await service.users.authenticate(secret))?.user.name, 'owner');
  assert.equal((await service.users.listUsers()).length, 1);
});
