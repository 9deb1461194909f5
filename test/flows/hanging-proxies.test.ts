/** Proxies that never answer hold up their own devices, and no others. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { it } from 'node:test';
import { api } from '../support/api.ts';
import { startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { ada, bob, linkDevice, untilOpen } from './steps.ts';

const adminToken = 'the-admin-token-of-this-installation';

/** Takes connections and says nothing. */
const startMute = async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => {}).resume()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

it('devices behind proxies that hang delay the connection of no other device, of their user or another', async () => {
  await using mute = await startMute();
  await using installation = await startInstallation({
    HANDSET_ADMIN_TOKEN: adminToken,
    HANDSET_CONNECT_CONCURRENCY: '2',
    HANDSET_BOOTSTRAP_DEVICE_LIMIT: '10',
  });
  const { phones } = installation;
  for (const number of [ada, bob]) await phones.add(number, 'Phone');
  const linked = await linkDevice(installation, ada);
  const hanging = 4;
  for (let n = 0; n < hanging; n += 1) {
    const { device } = (await installation.api.post('/devices', {})).body;
    const set = await installation.api.put(`/devices/${device.id}/settings`, { proxy: mute.url });
    assert.equal(set.status, 200, JSON.stringify(set.body));
  }
  await eventually('all proxies are asked', () => mute.sockets.length === hanging);
  const admin = api(`${installation.handset.url}/admin/v1`, adminToken);
  const { user } = (await admin.post('/users', { name: 'another', deviceLimit: 5 })).body;
  const { key } = (await admin.post(`/users/${user.id}/keys`, { name: 'key' })).body;
  const another = { api: api(installation.api.baseUrl, key.secret), phones };
  await linkDevice(another, bob);
  await installation.api.post(`/devices/${linked}/restart`);
  await untilOpen(installation, linked);
  const ended = mute.sockets.filter((socket) => socket.destroyed || socket.readableEnded).length;
  assert.equal(ended, 0, 'none of the connections to the proxies has ended meanwhile');
});
