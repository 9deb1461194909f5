/** Delete, and operations that meet on one device: afterwards nothing of it may live (docs/spec/devices.md, Delete device). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/wait.ts';
import { setStage } from './stage.ts';

const gone = { name: 'DeviceNotFound' };

test('delete logs out and leaves nothing', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  await stage.service.devices.delete(stage.scope(id));
  assert.equal(session.loggedOut, true);
  await assert.rejects(stage.service.devices.get(stage.scope(id)), gone);
  await assert.rejects(stage.service.devices.delete(stage.scope(id)), gone);
  assert.equal(await stage.store.stores.credentials.loadCredentials(id), null);
  assert.deepEqual(await stage.events(id), []);
  await stage.clock.advance(600_000);
  assert.equal(stage.network.live(id).length, 0);
});

test('a linked device that is inactive is connected once more, for the logout', async (t) => {
  const stage = await setStage(t);
  const { id } = await stage.connected();
  await stage.service.devices.update(stage.scope(id), { subscriptionStatus: 'inactive' });
  const before = stage.network.sessions.length;
  stage.network.onConnect = (session) => session.open();
  await stage.service.devices.delete(stage.scope(id));
  assert.equal(stage.network.sessions.length, before + 1);
  assert.equal(stage.network.sessions.at(-1)!.loggedOut, true);
});

test('a logout that does not succeed costs 5 s at most', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.onLogout = () => new Promise(() => undefined);
  const deleting = stage.service.devices.delete(stage.scope(id));
  await stage.clock.advance(5_000);
  await deleting;
  assert.equal(session.ended, true);
  await assert.rejects(stage.service.devices.get(stage.scope(id)), gone);
});

test('a network that is away costs 5 s at most', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.lose();
  const deleting = stage.service.devices.delete(stage.scope(id));
  await stage.clock.advance(5_000);
  await deleting;
  assert.equal(stage.network.live(id).length, 0);
});

test('a restart that waits for its QR ends with the device', async (t) => {
  const stage = await setStage(t);
  stage.network.onConnect = (session) => session.offer('ref-1');
  const { id } = (await stage.service.devices.create(stage.user.id, {})).device;
  stage.network.onConnect = () => undefined;
  const restarting = assert.rejects(stage.service.devices.restart(stage.scope(id), null), gone);
  await eventually('the new session', () => stage.network.sessions.length === 2);
  await stage.service.devices.delete(stage.scope(id));
  await restarting;
  await stage.clock.advance(600_000);
  assert.equal(stage.network.live(id).length, 0);
});

test('whatever meets on a device, at most one session lives, and none when it is gone', async (t) => {
  const stage = await setStage(t);
  const { devices } = stage.service;
  for (let round = 0; round < 6; round += 1) {
    const { id } = await stage.connected();
    stage.network.onConnect = (session) => {
      assert.ok(stage.network.live(id).length <= 1, 'two sessions of one device at the same time');
      session.open();
    };
    const meeting: Promise<unknown>[] = [
      devices.restart(stage.scope(id), null),
      devices.update(stage.scope(id), { subscriptionStatus: 'inactive' }),
      devices.restart(stage.scope(id), null),
      devices.update(stage.scope(id), { subscriptionStatus: 'active' }),
      devices.disconnect(stage.scope(id)),
      devices.restart(stage.scope(id), null),
    ];
    meeting.splice(
      round,
      0,
      devices.delete(stage.scope(id)).then(() => devices.restart(stage.scope(id), null)),
    );
    const done = Promise.allSettled(meeting);
    let over = false;
    void done.finally(() => {
      over = true;
    });
    await eventually('all answers', async () => {
      await stage.clock.advance(1_000);
      return over;
    });
    stage.network.onConnect = () => undefined;
    await assert.rejects(devices.get(stage.scope(id)), gone);
    await stage.clock.advance(120_000);
    assert.equal(stage.network.live(id).length, 0, `round ${round}`);
    assert.deepEqual(await stage.events(id), []);
  }
});
