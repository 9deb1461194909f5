/** Restart, update, disconnect and delete (docs/spec/devices.md, States and transitions and Operations). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { theService } from '../../src/domain/audit.ts';
import { eventually } from '../support/wait.ts';
import { type Stage, setStage } from './stage.ts';

const notFound = { name: 'DeviceNotFound', message: 'Device not found' };

test("another user's device is not found, nor is one that is gone, by any operation", async (t) => {
  const stage = await setStage(t);
  const { id } = await stage.connected();
  const other = await stage.store.stores.users.create('eve', 10, 0);
  const { devices, scopes } = stage.service;
  const gone = stage.scope(id + 1);
  for (const asked of [
    () => scopes.prove(other.id, id, theService),
    () => scopes.prove(stage.user.id, id + 1, theService),
    () => scopes.prove(null, id + 1, theService),
    () => devices.get(gone),
    () => devices.update(gone, { name: 'mine' }),
    () => devices.restart(gone, null),
    () => devices.disconnect(gone),
    () => devices.delete(gone),
    () => devices.session(gone),
    () => devices.qrText(gone),
  ]) {
    await assert.rejects(asked(), notFound);
  }
  const { userId } = await scopes.prove(null, id, theService);
  assert.equal(userId, stage.user.id);
  assert.equal((await devices.get(stage.scope(id))).status, 'connected');
});

test('restart of a linked device reconnects without a new pairing', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  stage.network.onConnect = (next) => next.open();
  assert.deepEqual(await stage.service.devices.restart(stage.scope(id), '4915112345678'), { pairingCode: null });
  assert.equal(session.ended, true);
  assert.equal(session.loggedOut, false);
  assert.equal((await stage.session(id)).pairingNumber, null);
  assert.deepEqual(await stage.events(id), ['auth ref-1 null', 'open', 'closed restart true', 'open']);
  assert.equal((await stage.service.devices.get(stage.scope(id))).status, 'connected');
});

test('restart of a linked device answers though it is still connecting', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const restarting = stage.service.devices.restart(stage.scope(id), null);
  await eventually('a new session', () => stage.network.live(id).some((one) => one !== session));
  await stage.clock.advance(10_000);
  assert.deepEqual(await restarting, { pairingCode: null });
});

test('restart of an unlinked device pairs anew, with a code when asked', async (t) => {
  const stage = await setStage(t);
  stage.network.onConnect = (session) => session.offer('ref-1');
  const { device } = await stage.service.devices.create(stage.user.id, {});
  (await stage.session(device.id)).end({ kind: 'pairing_expired' });
  stage.network.onConnect = (session) => session.offer('ref-2');
  assert.deepEqual(await stage.service.devices.restart(stage.scope(device.id), null), { pairingCode: null });
  assert.equal(await stage.service.devices.qrText(stage.scope(device.id)), 'ref-2');
  stage.network.onConnect = (session) => session.offer('ref-3', 'ABCD1234');
  const { pairingCode } = await stage.service.devices.restart(stage.scope(device.id), '4915112345678');
  assert.equal(pairingCode, 'ABCD1234');
  assert.equal(stage.network.live(device.id).length, 1);
});

test('restart: inactive is 400, refused is 500, nothing in time is 408', async (t) => {
  const stage = await setStage(t);
  stage.network.onConnect = (session) => session.offer('ref-1');
  const { id } = (await stage.service.devices.create(stage.user.id, {})).device;
  stage.network.onConnect = (session) => session.end({ kind: 'pairing_failed', detail: 'no' });
  await assert.rejects(stage.service.devices.restart(stage.scope(id), null), {
    name: 'RestartFailed',
    message: `Failed to restart device ${id}: no`,
  });
  stage.network.onConnect = () => undefined;
  const late = assert.rejects(stage.service.devices.restart(stage.scope(id), null), { name: 'RequestTimeout' });
  await stage.session(id);
  await stage.clock.advance(29_000);
  await late;
  await stage.service.devices.update(stage.scope(id), { subscriptionStatus: 'inactive' });
  await assert.rejects(stage.service.devices.restart(stage.scope(id), null), {
    name: 'InvalidRequest',
    message: /set subscription_status to active/,
  });
});

test('restart brings a replaced device back', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.end({ kind: 'replaced' });
  stage.network.onConnect = (next) => next.open();
  await stage.service.devices.restart(stage.scope(id), null);
  assert.equal((await stage.service.devices.get(stage.scope(id))).status, 'connected');
});

test('a phone that scans while the device is being restarted is not lost', async (t) => {
  const stage = await setStage(t);
  stage.network.onConnect = (session) => session.offer('ref-1');
  const { id } = (await stage.service.devices.create(stage.user.id, {})).device;
  const session = await stage.session(id);
  // The old session stores the link while it is being closed.
  session.close = async () => {
    await session.link();
    session.ended = true;
  };
  stage.network.onConnect = (next) => next.open();
  await stage.service.devices.restart(stage.scope(id), null);
  await eventually('connected', async () => (await stage.service.devices.get(stage.scope(id))).status === 'connected');
});

test('inactive stops the session and keeps the authentication; active brings it back', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const stopped = await stage.service.devices.update(stage.scope(id), { subscriptionStatus: 'inactive' });
  assert.equal(stopped.subscription_status, 'inactive');
  assert.equal(stopped.status, 'timeout');
  assert.equal(session.ended, true);
  assert.equal(session.loggedOut, false);
  assert.ok(await stage.store.stores.credentials.loadCredentials(id));
  await stage.restart('graceful');
  await stage.clock.advance(60_000);
  assert.equal(stage.network.sessions.length, 0);
  stage.network.onConnect = (next) => next.open();
  await stage.service.devices.update(stage.scope(id), { subscriptionStatus: 'active' });
  await eventually('open', async () => (await stage.events(id)).length === 4);
  assert.deepEqual(await stage.events(id), ['auth ref-1 null', 'open', 'closed inactive false', 'open']);
});

test('update changes only what is given; nothing given changes nothing', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const before = await stage.service.devices.get(stage.scope(id));
  assert.deepEqual(await stage.service.devices.update(stage.scope(id), {}), before);
  const patch = { webhookUrl: 'https://example.com/x', webhookEvents: ['call', 'call'] as const };
  const after = await stage.service.devices.update(stage.scope(id), patch);
  assert.deepEqual(after, { ...before, webhookUrl: 'https://example.com/x', webhookEvents: ['call'] });
  await assert.rejects(stage.service.devices.update(stage.scope(id), { webhookUrl: 'x' }), {
    name: 'InvalidRequest',
  });
  await stage.service.devices.update(stage.scope(id), { subscriptionStatus: 'active' });
  assert.equal(session.ended, false);
});

test('activating counts against the limit', async (t) => {
  const stage = await setStage(t);
  const { id } = await stage.connected();
  await stage.service.devices.update(stage.scope(id), { subscriptionStatus: 'inactive' });
  await stage.connected();
  await stage.store.stores.users.update(stage.user.id, { deviceLimit: 1 });
  await assert.rejects(stage.service.devices.update(stage.scope(id), { subscriptionStatus: 'active' }), {
    name: 'DeviceLimitReached',
    message: /1 active device.*allows 1/,
  });
  assert.equal((await stage.service.devices.get(stage.scope(id))).subscription_status, 'inactive');
});

const linkIsGone = async (stage: Stage, id: number): Promise<void> => {
  assert.equal(await stage.store.stores.credentials.loadCredentials(id), null);
  assert.equal((await stage.store.stores.devices.find(id))?.account, null);
  assert.equal((await stage.service.devices.get(stage.scope(id))).status, 'timeout');
};

test('disconnect logs out, forgets the authentication, and a second one is 404', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  await stage.service.devices.disconnect(stage.scope(id));
  assert.equal(session.loggedOut, true);
  await linkIsGone(stage, id);
  assert.deepEqual(await stage.events(id), ['auth ref-1 null', 'open', 'closed requested false', 'logout requested']);
  await assert.rejects(stage.service.devices.disconnect(stage.scope(id)), {
    name: 'DeviceNotConnected',
    message: `Device ${id} is not connected`,
  });
  stage.network.onConnect = (next) => next.offer('ref-2');
  await stage.service.devices.restart(stage.scope(id), null);
  assert.equal((await stage.service.devices.get(stage.scope(id))).status, 'qr');
});

test('disconnect within the grace waits for the link', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.lose();
  const disconnecting = stage.service.devices.disconnect(stage.scope(id));
  await stage.clock.advance(1_000);
  const next = await stage.session(id);
  next.open();
  await disconnecting;
  assert.equal(next.loggedOut, true);
  await linkIsGone(stage, id);
});

test('disconnect within the grace of a link that stays away is 404', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.lose();
  const disconnecting = assert.rejects(stage.service.devices.disconnect(stage.scope(id)), {
    name: 'DeviceNotConnected',
  });
  await stage.clock.advance(10_000);
  await disconnecting;
});

for (const [how, onLogout] of [
  ['refused', () => Promise.reject(new Error('no'))],
  ['not answered', () => new Promise<void>(() => undefined)],
] as const) {
  test(`a logout that is ${how} is 500, and the device stays linked and comes back`, async (t) => {
    const stage = await setStage(t);
    const { id, session } = await stage.connected();
    session.onLogout = onLogout;
    const disconnecting = assert.rejects(stage.service.devices.disconnect(stage.scope(id)), {
      name: 'DisconnectFailed',
      message: `Failed to disconnect device ${id}`,
    });
    stage.network.onConnect = (next) => next.open();
    await stage.clock.advance(8_000);
    await disconnecting;
    await stage.clock.advance(1_000);
    assert.equal((await stage.service.devices.get(stage.scope(id))).status, 'connected');
    assert.deepEqual(await stage.events(id), ['auth ref-1 null', 'open']);
  });
}
