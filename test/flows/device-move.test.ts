/** A device moves to another installation with its link: no new pairing, no lost message, and nothing left behind. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { defaultSettings } from '../../src/domain/device.ts';
import { startHandset } from '../../src/main.ts';
import { openPackage, sealPackage } from '../../src/service/devices/package.ts';
import { api } from '../support/api.ts';
import { ownerKey, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, linkDevice } from './steps.ts';

const adminToken = 'the-admin-token-of-both-installations';
const passphrase = 'correct horse battery staple';

test('a device moves to another installation with its link, and is forgotten where it was', async () => {
  await using here = await startInstallation({ HANDSET_ADMIN_TOKEN: adminToken });
  await addPhones(here);
  const id = await linkDevice(here, ada, { name: 'Front desk', webhookEvents: ['message.received'] });
  const first = { toNumber: bob, message: 'from the old place' };
  assert.equal((await here.api.post(`/devices/${id}/messages/text`, first)).status, 200);
  await here.phones.write(bob, { to: ada, text: 'to the old place' });
  await eventually('the reply', async () =>
    JSON.stringify((await here.api.get(`/devices/${id}/messages`)).body).includes('to the old place'),
  );

  const dataDir = await mkdtemp(join(tmpdir(), 'handset-there-'));
  const settings = {
    HANDSET_PORT: '0',
    HANDSET_DATA_DIR: dataDir,
    HANDSET_BOOTSTRAP_KEY: ownerKey,
    HANDSET_BOOTSTRAP_DEVICE_LIMIT: '2',
    HANDSET_NETWORK: here.phones.controlUrl,
    HANDSET_ADMIN_TOKEN: adminToken,
  };
  const there = await startHandset(readConfig(settings), { log: pino({ level: 'silent' }) });
  const client = api(`${there.url}/v1`, ownerKey);
  const hereAdmin = api(`${here.handset.url}/admin/v1`, adminToken);
  const thereAdmin = api(`${there.url}/admin/v1`, adminToken);
  // A device before it, so that the ids differ.
  await client.post('/devices');

  assert.equal((await here.api.put(`/devices/${id}/settings`, { online: true, media: 'kept' })).status, 200);
  assert.equal((await hereAdmin.post(`/devices/${id}/forget`)).status, 400, 'not while it is active');
  assert.equal((await hereAdmin.post(`/devices/${id}/export`, { passphrase: 'too short' })).status, 400);
  const exported = await hereAdmin.post(`/devices/${id}/export`, { passphrase });
  assert.equal(exported.status, 200);
  const packed = exported.body.export as string;
  assert.ok(!packed.includes(ada) && !packed.includes('Front desk'));
  assert.equal((await here.api.get(`/devices/${id}`)).body.device.subscription_status, 'inactive');

  const wrong = await thereAdmin.post('/users/1/devices', { export: packed, passphrase: 'another passphrase' });
  assert.deepEqual([wrong.status, wrong.body.status.message.slice(0, 25)], [400, 'passphrase is not the one']);
  // A message that comes while it is on its way waits for it.
  await here.phones.write(bob, { to: ada, text: 'while it moved' });
  const imported = await thereAdmin.post('/users/1/devices', { export: packed, passphrase });
  assert.equal(imported.status, 200, JSON.stringify(imported.body));
  const moved = imported.body.device.id as number;
  assert.notEqual(moved, id);
  await eventually('it is open there', async () => {
    const { session } = (await client.get(`/devices/${moved}/session`)).body;
    return session.state === 'open' && session.phoneNumber === ada;
  });
  const { device } = (await client.get(`/devices/${moved}`)).body;
  assert.deepEqual(
    [device.name, device.webhookEvents, device.status],
    ['Front desk', ['message.received'], 'connected'],
  );
  assert.deepEqual((await client.get(`/devices/${moved}/settings`)).body.settings, {
    ...defaultSettings,
    online: true,
    media: 'kept',
  });
  await eventually('the message from between', async () =>
    JSON.stringify((await client.get(`/devices/${moved}/messages`)).body).includes('while it moved'),
  );
  const second = { toNumber: bob, message: 'from the new place' };
  assert.equal((await client.post(`/devices/${moved}/messages/text`, second)).status, 200);
  await eventually('it is shown', async () =>
    (await here.phones.messages(bob)).some(({ text }) => text === second.message),
  );
  const again = await thereAdmin.post('/users/1/devices', { export: packed, passphrase });
  assert.equal(again.status, 403, 'it counts against the limit');

  assert.equal((await hereAdmin.post(`/devices/${id}/forget`)).status, 200);
  assert.equal((await here.api.get(`/devices/${id}`)).status, 404);
  assert.equal((await here.phones.get(ada)).linkedDevices.length, 1, 'the link lives on');
  assert.equal((await client.get(`/devices/${moved}`)).body.device.status, 'connected');
  const actions = async (admin: typeof hereAdmin): Promise<string[]> =>
    (await admin.get('/audit')).body.entries.map(({ action }: { action: string }) => action);
  assert.deepEqual((await actions(hereAdmin)).slice(0, 3), ['device.deleted', 'device.forgotten', 'device.exported']);
  assert.ok((await actions(thereAdmin)).includes('device.imported'));
  await there.close();
  await rm(dataDir, { recursive: true });
});

test('a package opens with its passphrase only, and is refused when it was changed', async () => {
  const sealed = await sealPackage('{"a":1}', passphrase);
  assert.equal(String(await openPackage(`${sealed}\n`, passphrase)), '{"a":1}');
  const bytes = sealed.split('.')[1]!;
  const changed = `${sealed.slice(0, -4)}${bytes.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
  for (const [text, words] of [
    [sealed, 'another passphrase'],
    [changed, passphrase],
    [sealed.slice(0, -30), passphrase],
    ['handset-device-1.', passphrase],
    ['handset-device-2.' + bytes, passphrase],
    ['', passphrase],
  ] as const) {
    await assert.rejects(openPackage(text, words), { name: 'InvalidRequest' });
  }
});
