/** The life of a device over the interface: every transition of docs/spec/devices.md (States and transitions), with real sessions. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Installation, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import {
  ada,
  addPhones,
  bob,
  eventsOf,
  linkDevice,
  statusOf,
  untilEvent,
  untilOpen,
  untilShown,
  untilStatus,
} from './steps.ts';

describe('the life of a device', () => {
  let installation: Installation;
  before(async () => {
    installation = await startInstallation();
    await addPhones(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('pairs by a code as well as by the QR beside it', async () => {
    const created = await installation.api.post('/devices', { phoneNumber: ada });
    assert.equal(created.status, 200);
    assert.match(created.body.pairingCode, /^[0-9A-Z]{8}$/);
    assert.equal(created.body.device.status, 'qr');
    assert.match(created.body.device.qr, /^data:image\/png;base64,/);
    const { id } = created.body.device;
    const session = (await installation.api.get(`/devices/${id}/session`)).body.session;
    assert.equal(session.state, 'pairing');
    assert.equal(session.pairingCode, created.body.pairingCode);
    assert.ok(Date.parse(session.pairingCodeExpiresAt) > Date.now());
    await installation.phones.enterCode(ada, created.body.pairingCode);
    await untilOpen(installation, id);
    const device = (await installation.api.get(`/devices/${id}`)).body.device;
    assert.equal(device.status, 'connected');
    assert.equal(device.qr, null);
    assert.equal((await installation.api.delete(`/devices/${id}`)).body.status.message, `Device ${id} deleted`);
    assert.equal((await installation.api.get(`/devices/${id}`)).status, 404);
    assert.deepEqual((await installation.phones.get(ada)).linkedDevices, []);
  });

  it('answers 422 to a send while the QR waits, and draws the QR in three forms', async () => {
    const { device } = (await installation.api.post('/devices', {})).body;
    const send = await installation.api.post(`/devices/${device.id}/messages/text`, { toNumber: bob, message: 'x' });
    assert.equal(send.status, 422);
    assert.equal(
      send.body.status.message,
      'Device is not fully authenticated; scan the QR code to complete the connection',
    );
    for (const [format, type] of [
      ['png', 'image/png'],
      ['svg', 'image/svg+xml'],
      ['text', 'text/plain'],
    ]) {
      const drawn = await installation.api.get(`/devices/${device.id}/qr?format=${format}`);
      assert.equal(drawn.status, 200);
      assert.ok(drawn.headers.get('content-type')!.startsWith(type!));
    }
    await installation.api.delete(`/devices/${device.id}`);
  });

  it('restarts a linked device without a new pairing', async () => {
    const id = await linkDevice(installation);
    const answer = await installation.api.post(`/devices/${id}/restart`);
    assert.equal(answer.status, 200);
    assert.match(answer.body.status.message, new RegExp(`\\b${id}\\b`));
    await untilOpen(installation, id);
    const closed = await untilEvent(installation, id, 'connection.closed');
    assert.deepEqual(closed.data, { reason: 'restart', willReconnect: true });
    assert.equal((await installation.phones.get(ada)).linkedDevices.length, 1);
    await installation.api.delete(`/devices/${id}`);
  });

  it('disconnect logs out on the phone, and restart gives a new QR', async () => {
    const id = await linkDevice(installation);
    const answer = await installation.api.post(`/devices/${id}/disconnect`);
    assert.equal(answer.status, 200);
    assert.equal(await statusOf(installation, id), 'timeout');
    await eventually('the phone lists no linked device', async () => {
      return (await installation.phones.get(ada)).linkedDevices.length === 0;
    });
    assert.deepEqual((await untilEvent(installation, id, 'connection.logout')).data, { reason: 'requested' });
    const again = await installation.api.post(`/devices/${id}/disconnect`);
    assert.equal(again.status, 404);
    assert.equal(again.body.status.message, `Device ${id} is not connected`);
    assert.equal((await installation.api.post(`/devices/${id}/restart`, {})).status, 200);
    const { device } = (await installation.api.get(`/devices/${id}`)).body;
    assert.equal(device.status, 'qr');
    await installation.phones.scan(ada, device.qr);
    await untilOpen(installation, id);
    await installation.api.delete(`/devices/${id}`);
  });

  it('inactive stops the session and keeps the link; active brings it back without a scan', async () => {
    const id = await linkDevice(installation);
    const stopped = await installation.api.put(`/devices/${id}`, { subscription_status: 'inactive' });
    assert.equal(stopped.status, 200);
    assert.equal(stopped.body.device.subscription_status, 'inactive');
    await untilStatus(installation, id, 'timeout');
    assert.deepEqual((await untilEvent(installation, id, 'connection.closed')).data, {
      reason: 'inactive',
      willReconnect: false,
    });
    const restart = await installation.api.post(`/devices/${id}/restart`);
    assert.equal(restart.status, 400);
    assert.match(restart.body.status.message, /subscription_status/);
    await installation.phones.write(bob, { to: ada, text: 'while you were inactive' });
    await installation.api.put(`/devices/${id}`, { subscription_status: 'active' });
    await untilOpen(installation, id);
    await untilEvent(installation, id, 'message.received', (data: { message: { text: string } }) => {
      return data.message.text === 'while you were inactive';
    });
    assert.equal((await installation.phones.get(ada)).linkedDevices.length, 1);
    await installation.api.delete(`/devices/${id}`);
  });

  it('unlinking on the phone is a logout with that reason', async () => {
    const id = await linkDevice(installation);
    const [linked] = (await installation.phones.get(ada)).linkedDevices;
    await installation.phones.request('DELETE', `/phones/${ada}/linked-devices/${linked!.device}`);
    assert.deepEqual((await untilEvent(installation, id, 'connection.logout')).data, { reason: 'removed_by_phone' });
    await untilStatus(installation, id, 'timeout');
    const { session } = (await installation.api.get(`/devices/${id}/session`)).body;
    assert.equal(session.state, 'closed');
    assert.match(session.reason, /phone/i);
    await installation.api.delete(`/devices/${id}`);
  });

  it('delivers what came while the service was stopped, once, and sends again without a scan', async () => {
    const id = await linkDevice(installation);
    const { phones } = installation;
    await installation.stop();
    await phones.write(bob, { to: ada, text: 'while you were away', count: 5 });
    await installation.restart();
    await untilOpen(installation, id);
    const received = await eventually('all five', async () => {
      const events = (await eventsOf(installation, id)).filter((event) => event.type === 'message.received');
      return events.length >= 5 && events;
    });
    assert.equal(received.length, 5);
    const sent = await installation.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message: 'back again' });
    assert.equal(sent.status, 200);
    await untilShown(installation, bob, 'back again');
    const kinds = (await eventsOf(installation, id))
      .map((event) => event.type)
      .filter((type) => /open|closed/.test(type));
    assert.deepEqual(kinds, ['connection.open', 'connection.closed', 'connection.open']);
  });
});
