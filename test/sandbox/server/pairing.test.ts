/** A stock client links by QR, comes back after 515, and logs in again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import {
  addPhone,
  closed,
  closeSound,
  connect,
  link,
  newCompanion,
  opened,
  type Network,
  startNetwork,
  until,
} from './support.ts';

let network: Network;
before(async () => {
  network = await startNetwork();
});
after(() => closeSound(network));

test('a client links by QR, ends with 515, logs in and reconnects', async () => {
  const phone = addPhone(network.hub, '4915110000001', 'Ada');
  const companion = newCompanion();
  const device = await link(network, phone, companion);
  assert.equal(device.id, 1);
  assert.equal(companion.creds.me?.id, '4915110000001:1@s.whatsapp.net');

  const first = connect(network, companion);
  await opened(first);
  assert.equal(companion.creds.me?.lid, phone.account.lid.replace('@', ':1@'));
  assert.equal(device.keys?.preKeys.size, 812);
  const gone = closed(first);
  first.end(undefined);
  await gone;

  const second = connect(network, companion);
  await opened(second);
  second.end(undefined);
});

test('a QR works once, and only on the network that made it', async () => {
  const phone = addPhone(network.hub, '4915110000002');
  const other = addPhone(network.hub, '4915110000003');
  const socket = connect(network, newCompanion());
  const { qr } = await until(socket, (update) => update.qr !== undefined);
  await assert.rejects(network.hub.pairByQr(phone, 'hello'), /not the QR of a linked device/);
  await assert.rejects(network.hub.pairByQr(phone, qr!.replace(/#[^,]*/, '#2@other')), /unknown/);
  const plain = qr!.slice(qr!.indexOf('#') + 1);
  const ended = closed(socket);
  await network.hub.pairByQr(phone, plain);
  await assert.rejects(network.hub.pairByQr(other, qr!), /already used/);
  assert.equal(await ended, 515);
});
