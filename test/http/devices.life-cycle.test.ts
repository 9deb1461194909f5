/** Devices through their life, as callers see it (docs/spec/devices.md, Operations). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withHttp } from './harness.ts';

const nine = [
  'createdAt',
  'id',
  'messagesSent',
  'name',
  'qr',
  'status',
  'subscription_status',
  'webhookEvents',
  'webhookUrl',
];

test(
  'create answers a device with exactly nine fields, a QR and the envelope',
  withHttp(async ({ api }) => {
    const { status, body } = await api.post('/devices');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ['device', 'status']);
    assert.deepEqual(Object.keys(body.device).sort(), nine);
    assert.equal(body.device.status, 'qr');
    assert.match(body.device.qr, /^data:image\/png;base64,/);
    assert.equal(body.device.subscription_status, 'active');
    assert.equal(body.device.webhookEvents.length, 10);
    assert.match(body.device.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(body.status, { code: 200, message: `Device ${body.device.id} created` });
  }),
);

test(
  'create takes every form of an absent body',
  withHttp(async ({ api }) => {
    for (const headers of [undefined, { 'content-type': 'application/json' }, { 'content-type': 'text/plain' }]) {
      assert.equal((await api.post('/devices', undefined, headers && { headers })).status, 200);
    }
    assert.equal((await api.post('/devices', {})).status, 200);
    assert.equal((await api.post('/devices', undefined, { raw: '' })).status, 200);
  }),
);

test(
  'create with all members keeps them, folds duplicate kinds, and gives a pairing code for a number',
  withHttp(async ({ api }) => {
    const { status, body } = await api.post('/devices', {
      name: 'Front desk',
      webhookUrl: 'https://example.com/hook',
      webhookEvents: ['call', 'message.sent', 'call'],
      phoneNumber: '4915112345678',
    });
    assert.equal(status, 200);
    assert.equal(body.pairingCode, 'ABCD1234');
    assert.equal(body.device.name, 'Front desk');
    assert.equal(body.device.webhookUrl, 'https://example.com/hook');
    assert.deepEqual(body.device.webhookEvents, ['call', 'message.sent']);
    assert.match(body.device.qr, /^data:image\/png/);
  }),
);

test(
  'the linked accounts of all devices are listed in pages, without those that have none',
  withHttp(async ({ api, linked }) => {
    const first = await linked();
    await api.post('/devices');
    const last = await linked();
    const { body } = await api.get('/accounts');
    assert.deepEqual(Object.keys(body).sort(), ['accounts', 'nextCursor', 'status']);
    const ids = body.accounts.map(({ deviceId }: { deviceId: number }) => deviceId);
    assert.deepEqual(ids, [first, last]);
    const { session } = (await api.get(`/devices/${first}/session`)).body;
    assert.equal(body.accounts[0].phoneNumber, session.phoneNumber);
    const page = (await api.get('/accounts?limit=2')).body;
    assert.equal(page.accounts.length, 1);
    const rest = (await api.get(`/accounts?limit=2&cursor=${page.nextCursor}`)).body;
    assert.deepEqual([rest.accounts[0].deviceId, rest.nextCursor], [last, null]);
  }),
);

test(
  'list, retrieve, update',
  withHttp(async ({ api }) => {
    const ids: number[] = [];
    for (let count = 0; count < 3; count += 1) ids.push((await api.post('/devices')).body.device.id);
    const list = await api.get('/devices');
    assert.deepEqual(Object.keys(list.body).sort(), ['devices', 'status']);
    assert.deepEqual(
      list.body.devices.map((device: { id: number }) => device.id),
      ids,
    );
    const first = await api.get('/devices?limit=2');
    assert.equal(first.body.devices.length, 2);
    const second = await api.get(`/devices?limit=2&cursor=${first.body.nextCursor}`);
    assert.equal(second.body.devices[0].id, ids[2]);
    assert.equal(second.body.nextCursor, null);

    const one = await api.get(`/devices/${ids[0]}`);
    assert.deepEqual(Object.keys(one.body).sort(), ['device', 'status']);
    assert.deepEqual(Object.keys(one.body.device).sort(), nine);

    const renamed = await api.put(`/devices/${ids[0]}`, {
      name: 'A',
      webhookUrl: 'https://example.com',
      webhookEvents: [],
    });
    assert.equal(renamed.status, 200);
    assert.equal(renamed.body.device.name, 'A');
    const untouched = await api.put(`/devices/${ids[0]}`, {});
    assert.deepEqual(untouched.body.device, { ...renamed.body.device, qr: untouched.body.device.qr });
    const bare = await api.put(`/devices/${ids[0]}`, { webhookUrl: null });
    assert.equal(bare.body.device.webhookUrl, null);
    const stopped = await api.put(`/devices/${ids[0]}`, { subscription_status: 'inactive' });
    assert.deepEqual(
      [stopped.body.device.subscription_status, stopped.body.device.status, stopped.body.device.qr],
      ['inactive', 'timeout', null],
    );
  }),
);

test(
  'restart, disconnect and delete name the device',
  withHttp(async ({ api, linked, network }) => {
    const id = await linked();
    assert.equal((await api.get(`/devices/${id}`)).body.device.status, 'connected');
    const restarted = await api.post(`/devices/${id}/restart`);
    assert.deepEqual(restarted.body, { status: { code: 200, message: `Device ${id} restarted` } });
    const gone = await api.post(`/devices/${id}/disconnect`);
    assert.deepEqual(gone.body, { status: { code: 200, message: `Device ${id} disconnected` } });
    const again = await api.post(`/devices/${id}/disconnect`);
    assert.equal(again.status, 404);
    assert.deepEqual(again.body, { status: { code: 404, message: `Device ${id} is not connected` } });
    const byCode = await api.post(`/devices/${id}/restart`, { phoneNumber: '4915112345678' });
    assert.equal(byCode.body.pairingCode, 'ABCD1234');
    const deleted = await api.delete(`/devices/${id}`);
    assert.deepEqual(deleted.body, { status: { code: 200, message: `Device ${id} deleted` } });
    assert.equal((await api.get(`/devices/${id}`)).status, 404);
    assert.equal(network.sent.length, 0);
  }),
);

test(
  'the device limit is 403 and names both counts',
  withHttp(async ({ user }) => {
    const { api } = await user('small', 1);
    assert.equal((await api.post('/devices')).status, 200);
    const refused = await api.post('/devices');
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.body, {
      status: { code: 403, message: 'Device limit reached; 1 active device, and your subscription allows 1' },
    });
  }),
);
