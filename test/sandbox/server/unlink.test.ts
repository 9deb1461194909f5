/** The end of a link, from either side, and a second connection of one device. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { BinaryNode } from 'baileys';

import {
  addPhone,
  closed,
  closeSound,
  connect,
  eventually,
  link,
  linkedSocket,
  newCompanion,
  opened,
  type Network,
  startNetwork,
} from './support.ts';

let network: Network;
before(async () => {
  network = await startNetwork();
});
after(() => closeSound(network));

test('the phone unlinks a companion: 401, and again 401 at its next login', async () => {
  const { hub } = network;
  const { account, device, companion, socket } = await linkedSocket(network, '4915130000001');
  const ended = closed(socket);
  hub.unlink(device);
  assert.equal(await ended, 401);
  assert.deepEqual([...account.devices.keys()], [0]);
  assert.equal(await closed(connect(network, companion)), 401);
});

test('a companion logs itself out', async () => {
  const { account, companion, socket } = await linkedSocket(network, '4915130000002');
  await socket.logout();
  await eventually(() => account.devices.size === 1, 'the device is gone');
  assert.equal(await closed(connect(network, companion)), 401);
});

test('a second connection of the same device replaces the first', async () => {
  const { companion, socket, device } = await linkedSocket(network, '4915130000003');
  const ended = closed(socket);
  const second = connect(network, { ...companion, creds: { ...companion.creds } });
  await opened(second);
  assert.equal(await ended, 440);
  assert.notEqual(device.client, null);
  second.end(undefined);
  await eventually(() => device.client === null, 'it is gone');
});

test('a stranger with another key cannot log in as a device', async () => {
  const { companion } = await linkedSocket(network, '4915130000004');
  const stranger = newCompanion();
  stranger.creds.me = { ...companion.creds.me! };
  assert.equal(await closed(connect(network, stranger)), 401);
});

test('the other companion of an account hears of one that came and of one that went', async () => {
  const { hub } = network;
  const phone = addPhone(hub, '4915130000005');
  const companion = newCompanion();
  await link(network, phone, companion);
  const socket = connect(network, companion);
  await opened(socket);
  const heard: string[] = [];
  socket.ws.on('CB:notification', ({ attrs }: BinaryNode) => heard.push(attrs.type ?? ''));
  const second = await link(network, phone, newCompanion());
  assert.equal(second.id, 2);
  await eventually(() => heard.includes('devices') && heard.includes('account_sync'), 'it hears of the second');
  heard.length = 0;
  hub.unlink(second);
  await eventually(() => heard.includes('devices'), 'it hears of the end of the second');
  const third = await link(network, phone, newCompanion());
  assert.equal(third.id, 3);
});
