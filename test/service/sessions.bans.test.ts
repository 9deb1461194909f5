/** Temporary bans and the pace of the network: the link outlives them, in words, and the device comes back by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionOf } from '../../src/domain/sessions/session.ts';
import { transition } from '../../src/domain/sessions/transition.ts';
import { inherited } from '../../src/service/sessions/runtimes.ts';
import { type Stage, setStage } from './stage.ts';
import { logOf } from '../support/event-log.ts';

const dayMs = 86_400_000;
const banOf = (until: number | null, code: number | null = 101) =>
  ({ kind: 'temporarily_banned', ban: { code, until } }) as const;

const reasonOf = async (stage: Stage, id: number): Promise<string> =>
  (await stage.service.devices.session(stage.scope(id))).reason ?? '';

const stillLinked = async (stage: Stage, id: number): Promise<void> => {
  assert.notEqual(await stage.store.stores.credentials.loadCredentials(id), null);
  assert.notEqual((await stage.store.stores.devices.find(id))?.account, null);
};

test('a temporary ban ends the session with its reason and its end, and nobody knocks before it is over', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  // Longer than any timer holds.
  const until = stage.clock.now() + 40 * dayMs;
  let attempts = 0;
  stage.network.onConnect = (next) => {
    attempts += 1;
    next.open();
  };
  session.end(banOf(until));
  await stage.clock.advance(1_000);
  const [, , closed] = await logOf(stage.store.stores.events, id);
  assert.deepEqual(closed?.event, {
    type: 'connection.closed',
    data: { reason: 'temporarily_banned', willReconnect: true, until },
  });
  assert.equal((await stage.service.devices.get(stage.scope(id))).status, 'timeout');
  assert.match(await reasonOf(stage, id), /banned the account until 2026-02-10T.*too many people.*code 101.*by itself/);
  for (let day = 0; day < 39; day += 1) await stage.clock.advance(dayMs);
  assert.equal(attempts, 0, 'nobody has knocked');
  await stillLinked(stage, id);
  await stage.clock.advance(dayMs + 60_000);
  assert.equal(attempts, 1);
  await stage.session(id);
  assert.deepEqual((await stage.events(id)).slice(-1), ['open']);
  assert.equal(await reasonOf(stage, id), '');
});

test('a ban that has been prolonged is waited for again', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const ends: number[] = [];
  stage.network.onConnect = (next) => {
    ends.push(stage.clock.now());
    if (ends.length < 3) next.end(banOf(stage.clock.now() + dayMs, 105));
    else next.open();
  };
  session.end(banOf(stage.clock.now() + dayMs));
  for (let day = 0; day < 4; day += 1) await stage.clock.advance(dayMs);
  assert.equal(ends.length, 3);
  assert.deepEqual((await stage.events(id)).slice(2), ['closed temporarily_banned true', 'open']);
});

test('a ban without an end is asked about, every few minutes and then every hour', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  let attempts = 0;
  stage.network.onConnect = (next) => {
    attempts += 1;
    next.end(banOf(null, null));
  };
  session.end(banOf(null, null));
  await stage.clock.advance(10 * 3_600_000);
  assert.ok(attempts >= 5 && attempts <= 30, `${attempts} attempts in ten hours`);
  assert.match(await reasonOf(stage, id), /for a time that it did not tell \(the network gave no cause\)/);
  await stillLinked(stage, id);
});

for (const how of ['crash', 'graceful'] as const) {
  test(`a ban outlives a restart of the service (${how}): the network tells it again, and the link is kept`, async (t) => {
    const stage = await setStage(t);
    const { id, session } = await stage.connected();
    const until = stage.clock.now() + dayMs;
    session.end(banOf(until));
    await stage.clock.advance(1_000);
    await stage.restart(how);
    (await stage.session(id)).end(banOf(until));
    await stage.clock.advance(1_000);
    assert.match(await reasonOf(stage, id), /banned the account until 2026-01-02/);
    await stillLinked(stage, id);
    assert.equal(stage.network.live(id).length, 0);
    stage.network.onConnect = (next) => next.open();
    await stage.clock.advance(dayMs + 60_000);
    assert.deepEqual((await stage.events(id)).slice(2), ['closed temporarily_banned true', 'open']);
  });
}

test('a crash just after the ban tells the end of the session once', async (t) => {
  const stage = await setStage(t);
  const { id } = await stage.connected();
  await stage.restart('crash');
  (await stage.session(id)).end(banOf(stage.clock.now() + dayMs));
  await stage.clock.advance(60_000);
  assert.deepEqual((await stage.events(id)).slice(2), ['closed temporarily_banned true']);
});

test('a restart of the device asks the network at once, and says what it said; a send does not wait for the ban', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const until = stage.clock.now() + dayMs;
  session.end(banOf(until));
  await stage.clock.advance(1_000);
  const { devices, sending } = stage.service;
  const recipient = { kind: 'number', number: '4915112345678', jid: '4915112345678@s.whatsapp.net' } as const;
  await assert.rejects(sending.send(stage.scope(id), { recipient, content: { kind: 'text', text: 'hi' } }), {
    name: 'DeviceNotConnected',
  });
  stage.network.onConnect = (next) => next.end(banOf(until));
  await assert.rejects(devices.restart(stage.scope(id), null), {
    name: 'RestartFailed',
    message: /Failed to restart device \d+: The network has banned the account until/,
  });
  stage.network.onConnect = (next) => next.open();
  await devices.restart(stage.scope(id), null);
  assert.equal(await reasonOf(stage, id), '');
});

test('another node goes on waiting for the end of a ban', async (t) => {
  const stage = await setStage(t);
  const { id } = await stage.connected();
  const record = (await stage.store.stores.devices.find(id))!;
  const now = stage.clock.now();
  const { session } = transition(sessionOf(record, now), { kind: 'ended', reason: banOf(now + dayMs) }, now);
  const adopted = inherited(
    { ...record, announcedOpen: false },
    { session, pairingNumber: null, at: now },
    now + 1_000,
  );
  assert.deepEqual(adopted.state, session.state);
  assert.deepEqual(transition(adopted, { kind: 'restore' }, now + 1_000).effects, [
    { kind: 'retry_at', at: now + dayMs },
  ]);
  const later = inherited(
    { ...record, announcedOpen: false },
    { session, pairingNumber: null, at: now },
    now + 2 * dayMs,
  );
  assert.deepEqual(transition(later, { kind: 'restore' }, now + 2 * dayMs).effects, [{ kind: 'connect' }]);
});

test('what the network refuses is tried every few minutes, what has passed within seconds', async (t) => {
  const stage = await setStage(t);
  const { session } = await stage.connected();
  let attempts = 0;
  stage.network.onConnect = (next) => {
    attempts += 1;
    next.end({ kind: 'lost', detail: 'the network asks to connect less often', pace: 'slow' });
  };
  session.end({ kind: 'lost', detail: 'the network asks to connect less often', pace: 'slow' });
  await stage.clock.advance(120_000);
  assert.equal(attempts, 0);
  await stage.clock.advance(3_600_000);
  assert.ok(attempts >= 2 && attempts <= 8, `${attempts} attempts in an hour`);
});

for (const [kind, words] of [
  ['locked', /locked or banned this account, or it is on another phone/],
  ['banned', /banned this account.*review/],
] as const) {
  test(`${kind}: the link is gone, in words, also after a restart of the service`, async (t) => {
    const stage = await setStage(t);
    const { id, session } = await stage.connected();
    session.end({ kind });
    await stage.clock.advance(600_000);
    assert.deepEqual((await stage.events(id)).slice(2), ['closed banned false', 'logout banned']);
    assert.match(await reasonOf(stage, id), words);
    assert.equal(await stage.store.stores.credentials.loadCredentials(id), null);
    await stage.restart('crash');
    assert.match(await reasonOf(stage, id), /locked or banned this account/);
  });
}
