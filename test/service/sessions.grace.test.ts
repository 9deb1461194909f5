/** Links that are lost and come back: what is news and what is not (docs/spec/devices.md, Grace), also across a crash. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/wait.ts';
import { accountOf } from './scripted-network.ts';
import { setStage } from './stage.ts';

test('pairing and opening: status, events, and what the session view says', async (t) => {
  const stage = await setStage(t);
  const { id } = await stage.connected();
  assert.deepEqual(await stage.events(id), ['auth ref-1 null', 'open']);
  const device = await stage.service.devices.get(stage.scope(id));
  assert.equal(device.status, 'connected');
  assert.equal(device.qr, null);
  const { jid, lid, phoneNumber } = accountOf(id);
  assert.deepEqual(await stage.service.devices.session(stage.scope(id)), {
    state: 'open',
    reason: null,
    phoneNumber,
    jid,
    lid,
    name: 'Ada',
    platform: 'android',
    pairingCode: null,
    pairingCodeExpiresAt: null,
    qrExpiresAt: null,
    lastSeenAt: '2026-01-01T00:00:00.000Z',
    reconnects: 0,
    backlog: null,
  });
});

test('a link that is back within 10 s is no news', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.lose();
  assert.equal((await stage.service.devices.get(stage.scope(id))).status, 'connected');
  await stage.clock.advance(1_000);
  const next = await stage.session(id);
  await stage.clock.advance(8_000);
  next.open();
  await stage.clock.advance(60_000);
  assert.deepEqual(await stage.events(id), ['auth ref-1 null', 'open']);
  assert.equal((await stage.service.devices.session(stage.scope(id))).reconnects, 1);
  assert.deepEqual(stage.service.supervisor.stats(), {
    sessions: { connecting: 0, pairing: 0, passkey_required: 0, open: 1, reconnecting: 0, closed: 0 },
    reconnects: 1,
    stalledBacklogs: 0,
  });
});

test('after 10 s the loss is news, and it goes on reconnecting with a backoff that stays below a minute', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  let attempts = 0;
  let lastAt = stage.clock.now();
  let longest = 0;
  stage.network.onConnect = (next) => {
    attempts += 1;
    longest = Math.max(longest, stage.clock.now() - lastAt);
    lastAt = stage.clock.now();
    next.lose();
  };
  session.lose();
  await stage.clock.advance(9_999);
  assert.equal((await stage.service.devices.get(stage.scope(id))).status, 'connected');
  assert.deepEqual(await stage.events(id), ['auth ref-1 null', 'open']);
  await stage.clock.advance(1);
  assert.equal((await stage.service.devices.get(stage.scope(id))).status, 'timeout');
  assert.deepEqual(await stage.events(id), ['auth ref-1 null', 'open', 'closed lost true']);
  await stage.clock.advance(3_600_000);
  assert.ok(attempts > 60 && attempts < 140, `${attempts} attempts in an hour`);
  assert.ok(longest <= 60_000, `${longest} ms between two attempts`);
  const view = await stage.service.devices.session(stage.scope(id));
  assert.equal(view.state, 'reconnecting');
  assert.match(view.reason ?? '', /reconnecting.*\(cut\)/);
  assert.equal(view.lastSeenAt, '2026-01-01T00:00:00.000Z');
  stage.network.onConnect = (next) => next.open();
  await stage.clock.advance(60_000);
  await eventually('the event', async () => (await stage.events(id)).at(-1) === 'open');
  assert.equal((await stage.service.devices.get(stage.scope(id))).status, 'connected');
  assert.equal((await stage.events(id)).length, 4);
});

test('a connection that never says anything is given up', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  session.lose();
  await stage.clock.advance(1_000);
  const silent = await stage.session(id);
  await stage.clock.advance(60_000);
  assert.equal(silent.ended, true);
  assert.notEqual(await stage.session(id), silent);
});

test('after a crash the events stay in pairs: back within the grace there is none', async (t) => {
  const stage = await setStage(t);
  const { id } = await stage.connected();
  await stage.restart('crash');
  assert.equal((await stage.service.devices.get(stage.scope(id))).status, 'connected');
  (await stage.session(id)).open();
  await stage.clock.advance(20_000);
  assert.deepEqual(await stage.events(id), ['auth ref-1 null', 'open']);
});

test('after a crash a link that stays away is told once', async (t) => {
  const stage = await setStage(t);
  const { id } = await stage.connected();
  await stage.restart('crash');
  await stage.session(id);
  await stage.clock.advance(10_000);
  assert.deepEqual(await stage.events(id), ['auth ref-1 null', 'open', 'closed lost true']);
  await stage.restart('crash');
  (await stage.session(id)).open();
  await eventually('the event', async () => (await stage.events(id)).length === 4);
  assert.equal((await stage.events(id)).at(-1), 'open');
});

test('a graceful stop tells of it, closes without logout, and the next start opens anew', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  await stage.restart('graceful');
  assert.equal(session.ended, true);
  assert.equal(session.loggedOut, false);
  (await stage.session(id)).open();
  await eventually('the event', async () => (await stage.events(id)).length === 4);
  assert.deepEqual(await stage.events(id), ['auth ref-1 null', 'open', 'closed shutdown true', 'open']);
});

test('a stop does not wait for ever for a session that does not close', async (t) => {
  const stage = await setStage(t);
  const { session } = await stage.connected();
  session.close = () => new Promise(() => undefined);
  let stopped = false;
  const stopping = stage.service.supervisor.stop().finally(() => {
    stopped = true;
  });
  await stage.clock.advance(2_000);
  assert.equal(stopped, false);
  await stage.clock.advance(2_000);
  await stopping;
});

test('devices come back a bounded number at a time', async (t) => {
  const stage = await setStage(t, { connectConcurrency: 2 });
  for (let count = 0; count < 5; count += 1) await stage.connected();
  await stage.restart('graceful');
  await stage.clock.advance(1_000);
  assert.equal(stage.network.sessions.length, 2);
  stage.network.sessions[0]!.open();
  await stage.clock.advance(0);
  assert.equal(stage.network.sessions.length, 3);
  stage.network.onConnect = (session) => session.open();
  for (const session of stage.network.sessions) session.open();
  await eventually('all', async () => {
    await stage.clock.advance(0);
    return stage.service.supervisor.stats().sessions.open === 5;
  });
});

for (const [kind, words, status, reason] of [
  ['replaced', ['closed replaced false'], 'timeout', /Another client took over/],
  ['removed_by_phone', ['closed removed_by_phone false', 'logout removed_by_phone'], 'timeout', /removed this device/],
  ['banned', ['closed banned false', 'logout banned'], 'timeout', /banned/],
] as const) {
  test(`${kind}: it is told, in words too, and nothing reconnects by itself`, async (t) => {
    const stage = await setStage(t);
    const { id, session } = await stage.connected();
    session.end({ kind });
    await stage.clock.advance(600_000);
    assert.deepEqual(await stage.events(id), ['auth ref-1 null', 'open', ...words]);
    assert.equal((await stage.service.devices.get(stage.scope(id))).status, status);
    assert.match((await stage.service.devices.session(stage.scope(id))).reason ?? '', reason);
    assert.equal(stage.network.live(id).length, 0);
    const credentials = await stage.store.stores.credentials.loadCredentials(id);
    assert.equal(credentials === null, kind !== 'replaced');
    const record = await stage.store.stores.devices.find(id);
    assert.equal(record?.account === null, kind !== 'replaced');
  });
}

test('a restriction of the account is told in words, until it is over', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const reason = async () => (await stage.service.devices.session(stage.scope(id))).reason;
  session.listener.restricted({ lockedUntil: stage.clock.now() + 60_000, newChats: null });
  assert.match(
    (await reason()) ?? '',
    /restricted the account: it may not begin new chats until 2026-01-01T00:01:00.000Z/,
  );
  session.lose();
  stage.network.onConnect = (next) => next.open();
  await stage.clock.advance(5_000);
  assert.match((await reason()) ?? '', /restricted/);
  await stage.clock.advance(55_000);
  assert.equal(await reason(), null);
  const next = await stage.session(id);
  next.listener.restricted({ lockedUntil: stage.clock.now() + 60_000, newChats: null });
  next.listener.restricted({ lockedUntil: null, newChats: null });
  assert.equal(await reason(), null);
});

test('a client that is too old is tried again, slowly', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  let attempts = 0;
  stage.network.onConnect = (next) => {
    attempts += 1;
    next.end({ kind: 'client_outdated' });
  };
  session.end({ kind: 'client_outdated' });
  await stage.clock.advance(3_600_000 * 10);
  assert.ok(attempts >= 5 && attempts <= 30, `${attempts} attempts in ten hours`);
  assert.match(
    (await stage.service.devices.session(stage.scope(id))).reason ?? '',
    /refuses this version of the client/,
  );
});
