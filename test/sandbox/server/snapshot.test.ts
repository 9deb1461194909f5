/** The server's state survives its own restart: accounts, links, prekeys and what waits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { restoreHub } from '../../../sandbox/src/server/hub.ts';
import { listen } from '../../../sandbox/src/server/transport/listen.ts';
import { addPhone, closed, connect, eventually, linkedSocket, opened, startNetwork } from './support.ts';

test('a restored server knows its devices and delivers what waited', async () => {
  const network = await startNetwork();
  const ada = await linkedSocket(network, '4915160000001', 'Ada');
  const bob = await linkedSocket(network, '4915160000002', 'Bob');
  const gone = closed(bob.socket);
  bob.socket.end(undefined);
  await gone;
  await ada.socket.sendMessage(bob.account.jid, { text: 'while you were away' });
  // Behind it comes the privacy token that goes to whom one writes.
  await eventually(() => bob.device.queue.size === 2, 'it waits');

  const saved = JSON.parse(JSON.stringify(network.hub.snapshot()));
  const hub = restoreHub(saved, { mediaHost: () => '127.0.0.1:9', addressing: 'lenient' });
  assert.deepEqual(JSON.parse(JSON.stringify(hub.snapshot())), saved);
  const listener = await listen(hub, { rootKey: network.listener.rootKey });
  const again = { ...network, hub, listener };
  const socket = connect(again, bob.companion);
  const inbox: unknown[] = [];
  socket.ev.on('messages.upsert', ({ messages }) => {
    for (const { message } of messages) inbox.push(message?.extendedTextMessage?.text);
  });
  await opened(socket);
  await eventually(() => inbox.length === 1, 'it arrives');
  assert.deepEqual(inbox, ['while you were away']);
  assert.equal(hub.findAccount(bob.account.lid)?.devices.get(1)?.keys?.preKeys.size, 811);
  await Promise.all([listener.close(), network.close()]);
});

test('what an account is survives, and how a group addresses its members', async () => {
  const network = await startNetwork();
  const ada = await linkedSocket(network, '4915160000003', 'Ada');
  const bob = addPhone(network.hub, '4915160000004', 'Bob').account;
  const { id } = await ada.socket.groupCreate('Friends', [bob.lid]);
  network.hub.state.groups.get(id)!.mode = 'pn';
  Object.assign(bob, { migrated: false, business: true });
  const saved = JSON.parse(JSON.stringify(network.hub.snapshot()));
  const restored = restoreHub(saved, { mediaHost: () => '127.0.0.1:9' });
  const again = restored.findAccount(bob.jid)!;
  assert.deepEqual([again.migrated, again.business, restored.state.groups.get(id)?.mode], [false, true, 'pn']);
  await network.close();
});
