/** Create: answers with the first QR, or leaves nothing behind (docs/spec/devices.md, Create device). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventKinds } from '../../src/domain/event.ts';
import { eventually } from '../support/wait.ts';
import { setStage } from './stage.ts';

test('answers with the QR of a device that has the nine fields and its defaults', async (t) => {
  const stage = await setStage(t);
  stage.network.onConnect = (session) => session.offer('ref-1');
  const { device, pairingCode } = await stage.service.devices.create(stage.user.id, {});
  assert.deepEqual(device, {
    id: device.id,
    name: `Device ${device.id}`,
    status: 'qr',
    qr: `data:image/png;base64,${Buffer.from('ref-1').toString('base64')}`,
    webhookUrl: null,
    webhookEvents: [...eventKinds],
    messagesSent: 0,
    subscription_status: 'active',
    createdAt: '2026-01-01T00:00:00.000Z',
  });
  assert.equal(pairingCode, null);
  assert.deepEqual(await stage.service.devices.get(stage.scope(device.id)), device);
  assert.equal(await stage.service.devices.qrText(stage.scope(device.id)), 'ref-1');
});

test('keeps what was asked for, with duplicates folded', async (t) => {
  const stage = await setStage(t);
  stage.network.onConnect = (session) => session.offer('ref-1');
  const { device } = await stage.service.devices.create(stage.user.id, {
    name: 'Front desk',
    webhookUrl: 'https://example.com/hook',
    webhookEvents: ['call', 'message.received', 'call'],
  });
  assert.equal(device.name, 'Front desk');
  assert.equal(device.webhookUrl, 'https://example.com/hook');
  assert.deepEqual(device.webhookEvents, ['call', 'message.received']);
});

test('with a phone number it waits for the code too', async (t) => {
  const stage = await setStage(t);
  const creating = stage.service.devices.create(stage.user.id, { phoneNumber: '4915112345678' });
  const session = await eventually('a session', () => stage.network.sessions[0]);
  assert.equal(session.pairingNumber, '4915112345678');
  session.offer('ref-1');
  await stage.clock.advance(1_000);
  session.offer('ref-1', 'ABCD1234');
  const { device, pairingCode } = await creating;
  assert.equal(pairingCode, 'ABCD1234');
  assert.equal(device.status, 'qr');
  assert.ok(device.qr);
  const view = await stage.service.devices.session(stage.scope(device.id));
  assert.equal(view.pairingCode, 'ABCD1234');
  assert.equal(view.pairingCodeExpiresAt, '2026-01-01T00:01:00.000Z');
  assert.ok(Date.parse(view.qrExpiresAt ?? '') > stage.clock.now());
});

test('a webhook URL that may not be reached makes no device', async (t) => {
  const stage = await setStage(t);
  const wish = { webhookUrl: 'gopher://example.com' };
  await assert.rejects(stage.service.devices.create(stage.user.id, wish), {
    name: 'InvalidRequest',
    message: /^webhookUrl/,
  });
  assert.equal(await stage.store.stores.devices.countActive(stage.user.id), 0);
  assert.equal(stage.network.sessions.length, 0);
});

test('a network that cannot be reached: 503 within 5 s that says why, and nothing is left', async (t) => {
  const stage = await setStage(t);
  stage.network.unreachable = 'web.whatsapp.com cannot be reached: DNS does not resolve its name (ENOTFOUND)';
  const creating = assert.rejects(stage.service.devices.create(stage.user.id, {}), {
    name: 'NetworkUnreachable',
    message: /^web\.whatsapp\.com cannot be reached: DNS .*handset doctor/,
    retryAfterSeconds: 10,
  });
  const session = await eventually('a session', () => stage.network.sessions[0]);
  await stage.clock.advance(1_000);
  await creating;
  assert.equal(session.ended, true);
  assert.equal(await stage.store.stores.devices.countActive(stage.user.id), 0);
});

test('no QR in time: 408, the session is closed, and nothing counts against the limit', async (t) => {
  const stage = await setStage(t);
  const creating = assert.rejects(stage.service.devices.create(stage.user.id, {}), { name: 'RequestTimeout' });
  const session = await eventually('a session', () => stage.network.sessions[0]);
  await stage.clock.advance(29_000);
  await creating;
  assert.equal(session.ended, true);
  assert.deepEqual((await stage.service.devices.list(stage.user.id, { limit: 10, cursor: null })).items, []);
  assert.equal(await stage.store.stores.devices.countActive(stage.user.id), 0);
});

test('a caller who goes away leaves no device', async (t) => {
  const stage = await setStage(t);
  const caller = new AbortController();
  const creating = assert.rejects(stage.service.devices.create(stage.user.id, {}, caller.signal), {
    name: 'RequestTimeout',
  });
  await eventually('a session', () => stage.network.sessions[0]);
  caller.abort();
  await creating;
  assert.equal(stage.network.live().length, 0);
  assert.equal(await stage.store.stores.devices.countActive(stage.user.id), 0);
});

test('a network that cannot be reached is tried again until it gives a QR', async (t) => {
  const stage = await setStage(t);
  let attempts = 0;
  stage.network.onConnect = (session) => {
    attempts += 1;
    if (attempts < 4) session.lose();
    else session.offer('ref-4');
  };
  const creating = stage.service.devices.create(stage.user.id, {});
  await eventually('the QR', async () => {
    await stage.clock.advance(500);
    return attempts === 4;
  });
  assert.equal((await creating).device.status, 'qr');
});

test('a refused pairing says why, and leaves no device', async (t) => {
  const stage = await setStage(t);
  stage.network.onConnect = (session) => session.end({ kind: 'pairing_failed', detail: 'number not allowed' });
  await assert.rejects(stage.service.devices.create(stage.user.id, {}), {
    name: 'PairingFailed',
    message: /number not allowed/,
  });
  assert.equal(await stage.store.stores.devices.countActive(stage.user.id), 0);
});

test('a full limit is 403 and connects nobody', async (t) => {
  const stage = await setStage(t);
  await stage.store.stores.users.update(stage.user.id, { deviceLimit: 1 });
  stage.network.onConnect = (session) => session.offer('ref-1');
  await stage.service.devices.create(stage.user.id, {});
  await assert.rejects(stage.service.devices.create(stage.user.id, {}), { name: 'DeviceLimitReached' });
  assert.equal(stage.network.sessions.length, 1);
});

test('a QR is drawn once an offer, however often the list is read', async (t) => {
  const stage = await setStage(t);
  stage.network.onConnect = (session) => session.offer(`ref-of-${session.deviceId}`);
  await stage.service.devices.create(stage.user.id, {});
  await stage.service.devices.create(stage.user.id, {});
  for (let read = 0; read < 5; read += 1) {
    const { items } = await stage.service.devices.list(stage.user.id, { limit: 100, cursor: null });
    assert.deepEqual(
      items.map(({ qr }) => qr !== null),
      [true, true],
    );
  }
  assert.equal(stage.drawn, 2);
});

test('every QR is an event, and so is the end of the pairing', async (t) => {
  const stage = await setStage(t);
  stage.network.onConnect = (session) => session.offer('ref-1');
  const { device } = await stage.service.devices.create(stage.user.id, {});
  const session = await stage.session(device.id);
  session.offer('ref-2');
  session.end({ kind: 'pairing_expired' });
  await eventually('the events', async () => (await stage.events(device.id)).length === 3);
  assert.deepEqual(await stage.events(device.id), ['auth ref-1 null', 'auth ref-2 null', 'timeout']);
  const after = await stage.service.devices.get(stage.scope(device.id));
  assert.equal(after.status, 'timeout');
  assert.equal(after.qr, null);
  await assert.rejects(stage.service.devices.qrText(stage.scope(device.id)), { name: 'NotFound' });
  const view = await stage.service.devices.session(stage.scope(device.id));
  assert.match(view.reason ?? '', /not scanned in time/);
});
