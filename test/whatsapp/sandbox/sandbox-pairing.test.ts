/** Linking against the sandbox: by QR, by code, and what ends a link. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/wait.ts';
import { startRig } from '../driver.support.ts';

test('driver: links by QR, stores the account, and connects again without a pairing', async () => {
  await using rig = await startRig();
  const { deviceId, watched, account } = await rig.linked('4915100000001', 'Ann');
  assert.equal(account.phoneNumber, '4915100000001');
  assert.equal(account.jid, '4915100000001@s.whatsapp.net');
  assert.match(account.lid ?? '', /^\d+@lid$/);
  // What is learned later comes after them.
  assert.deepEqual(watched.calls.slice(0, 3), ['pairing', 'linked', 'open']);
  const offer = watched.offers[0]!;
  assert.ok(offer.qrExpiresAt > Date.now() && offer.qrExpiresAt <= Date.now() + 60_000);
  assert.equal(offer.code, null);
  assert.equal((await rig.phones.get('4915100000001')).linkedDevices.length, 1);
  // A link tells the name of a business account alone; that of others comes with application state.
  const kept = await eventually('the account with its name', async () => {
    const found = (await rig.stores.devices.find(deviceId))?.account;
    return found?.name === 'Ann' && found;
  });
  assert.deepEqual(kept, { ...account, name: 'Ann' });

  await watched.session.close();
  assert.deepEqual(watched.reason(), { kind: 'requested' });
  const again = rig.connect(deviceId);
  assert.deepEqual(await again.opened(), kept);
  assert.deepEqual(again.calls, ['open']);
});

test('driver: links by a pairing code', async () => {
  await using rig = await startRig();
  await rig.phones.add('4915100000002', 'Bob');
  await rig.phones.behave('4915100000002', { business: true });
  const watched = rig.connect(await rig.device(), '4915100000002');
  const { code } = await eventually('a code', () => watched.offers[0]);
  assert.match(code?.code ?? '', /^[1-9A-Z]{8}$/);
  assert.ok(code!.expiresAt > Date.now() + 60_000);
  await rig.phones.enterCode('4915100000002', code!.code);
  const { phoneNumber, name } = await watched.opened();
  assert.deepEqual([phoneNumber, name], ['4915100000002', 'Bob']);
});

test('driver: with a pairing code asked for, the QR works too', async () => {
  await using rig = await startRig();
  await rig.phones.add('4915100000003', 'Cid');
  const watched = rig.connect(await rig.device(), '4915100000003');
  const offer = await eventually('an offer', () => watched.offers[0]);
  await rig.phones.scan('4915100000003', offer.qrText);
  assert.equal((await watched.opened()).phoneNumber, '4915100000003');
});

test('driver: what an unfinished pairing left does not spoil the next', async () => {
  await using rig = await startRig();
  await rig.phones.add('4915100000004', 'Dot');
  const deviceId = await rig.device();
  const first = rig.connect(deviceId, '4915100000004');
  await eventually('a code', () => first.offers[0]);
  await first.session.close();
  const second = rig.connect(deviceId);
  const offer = await eventually('a QR', () => second.offers[0]);
  await rig.phones.scan('4915100000004', offer.qrText);
  await second.opened();
});

test('driver: logout takes the device off the phone', async () => {
  await using rig = await startRig();
  const { watched } = await rig.linked('4915100000005', 'Eve');
  await watched.session.logout();
  assert.deepEqual(watched.reason(), { kind: 'requested' });
  assert.deepEqual((await rig.phones.get('4915100000005')).linkedDevices, []);
});

test('driver: unlinked on the phone', async () => {
  await using rig = await startRig();
  const { watched } = await rig.linked('4915100000006', 'Fay');
  const [linked] = (await rig.phones.get('4915100000006')).linkedDevices;
  await rig.phones.request('DELETE', `/phones/4915100000006/linked-devices/${linked!.device}`);
  assert.deepEqual(await watched.closed(), { kind: 'removed_by_phone' });
  assert.equal(watched.calls.at(-1), 'closed');
});

test('driver: a cut connection is lost, and one used elsewhere is replaced', async () => {
  await using rig = await startRig();
  const { deviceId, watched } = await rig.linked('4915100000007', 'Gus');
  await rig.phones.request('POST', '/drop', { number: '4915100000007' });
  assert.equal((await watched.closed()).kind, 'lost');
  const second = rig.connect(deviceId);
  await second.opened();
  const third = rig.connect(deviceId);
  await third.opened();
  assert.deepEqual(await second.closed(), { kind: 'replaced' });
});

test('driver: a network that refuses connections is lost', async () => {
  await using rig = await startRig();
  await rig.phones.request('PUT', '/faults', { refuseConnections: true });
  assert.equal((await rig.connect(await rig.device()).closed()).kind, 'lost');
});

test('driver: after a scan the network may want a new QR, and only that one links', async () => {
  await using rig = await startRig();
  await rig.phones.add('4915100000008', 'Hal');
  await rig.phones.request('PUT', '/faults', { rotateQr: true });
  const watched = rig.connect(await rig.device());
  const first = await eventually('a QR', () => watched.offers[0]);
  await assert.rejects(rig.phones.scan('4915100000008', first.qrText), /new QR/);
  const second = await eventually('another QR', () => watched.offers[1]);
  assert.notEqual(second.qrText, first.qrText);
  assert.equal(second.qrExpiresAt, first.qrExpiresAt);
  await assert.rejects(rig.phones.scan('4915100000008', first.qrText), /replaced/);
  await rig.phones.scan('4915100000008', second.qrText);
  await watched.opened();
});

test('driver: tells that a passkey is asked for', async () => {
  await using rig = await startRig();
  await rig.phones.add('4915100000009', 'Ida');
  await rig.phones.request('PUT', '/faults', { passkeyGate: true });
  const watched = rig.connect(await rig.device());
  const { qrText } = await eventually('a QR', () => watched.offers[0]);
  await assert.rejects(rig.phones.scan('4915100000009', qrText), /passkey/);
  await eventually('the call', () => watched.calls.includes('passkey response'));
});

test('driver: when nobody scans, the pairing expires', async () => {
  await using rig = await startRig();
  await rig.phones.request('PUT', '/faults', { expireQrAfterMs: 50 });
  const watched = rig.connect(await rig.device());
  assert.deepEqual(await watched.closed(), { kind: 'pairing_expired' });
  assert.deepEqual(watched.calls, ['pairing', 'closed']);
});
