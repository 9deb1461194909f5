/** A stock client links by pairing code. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import {
  addPhone,
  closed,
  closeSound,
  connect,
  newCompanion,
  opened,
  stanza,
  type Network,
  startNetwork,
  until,
} from './support.ts';

let network: Network;
before(async () => {
  network = await startNetwork();
});
after(() => closeSound(network));

test('a code links, whatever its case and dash, also after a wrong one', async () => {
  const phone = addPhone(network.hub, '4915140000001', 'Ada');
  const companion = newCompanion();
  const socket = connect(network, companion);
  await until(socket, ({ qr }) => qr !== undefined);
  await assert.rejects(network.hub.pairByCode(phone, 'ABCD-EFGH'), /no pairing code was asked for/);
  const answered = stanza(socket, 'CB:iq,,link_code_companion_reg');
  const code = await socket.requestPairingCode(phone.account.number);
  await answered;
  await assert.rejects(network.hub.pairByCode(phone, 'ABC'), /8 characters/);
  await assert.rejects(network.hub.pairByCode(phone, 'ZZZZZZZZ'), /wrong/);
  const ended = closed(socket);
  const device = await network.hub.pairByCode(phone, `${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase());
  assert.equal(await ended, 515);
  assert.equal(device.id, 1);
  const linked = connect(network, companion);
  await opened(linked);
  linked.end(undefined);
});

test('a code for a number that nobody has is refused', async () => {
  const socket = connect(network, newCompanion());
  await until(socket, ({ qr }) => qr !== undefined);
  const refused = stanza(socket, 'CB:iq,type:error');
  await socket.requestPairingCode('4915149999999');
  const answer = await refused;
  assert.deepEqual(Array.isArray(answer.content) && answer.content[0]?.attrs, { code: '404', text: 'item-not-found' });
  socket.end(undefined);
});
