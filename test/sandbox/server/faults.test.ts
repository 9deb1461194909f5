/** The network at its worst, as a stock client meets it. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';

import type { BinaryNode } from 'baileys';

import { systemClock } from '../../../sandbox/src/base/clock.ts';
import { deliver } from '../../../sandbox/src/server/messages/queue.ts';
import {
  addPhone,
  closed,
  connect,
  eventually,
  type Linked,
  linkedSocket,
  type Network,
  newCompanion,
  opened,
  stanza,
  startNetwork,
  until,
} from './support.ts';

let network: Network;
let ada: Linked;
let bob: Linked;
/** How far the server's clock is ahead. */
let ahead = 0;

before(async () => {
  network = await startNetwork({ clock: { ...systemClock, now: () => Date.now() + ahead } });
  [ada, bob] = await Promise.all([
    linkedSocket(network, '4915170000001', 'Ada'),
    linkedSocket(network, '4915170000002', 'Bob'),
  ]);
});
afterEach(() => network.hub.clearFaults());
after(async () => {
  await network.close();
  assert.deepEqual(network.problems, []);
});

const ping = () => ({ tag: 'iq', attrs: { to: '@s.whatsapp.net', xmlns: 'w:p', type: 'get' } });

const ackTo = async (jid: string, text: string): Promise<BinaryNode> => {
  const ack = stanza(ada.socket, 'CB:ack,class:message');
  await ada.socket.sendMessage(jid, { text });
  return ack;
};
const ackOf = (text: string): Promise<BinaryNode> => ackTo(bob.account.jid, text);

test('a send is refused with the given code', async () => {
  network.hub.setFaults({ rejectSends: 479 });
  assert.equal((await ackOf('refused')).attrs.error, '479');
});

test('a restricted account may not write to people, and is told so', async () => {
  const told = until(ada.socket, ({ reachoutTimeLock }) => reachoutTimeLock?.isActive === true);
  network.hub.setFaults({ restrict: true });
  await told;
  assert.equal((await ackOf('restricted')).attrs.error, '463');
  assert.equal((await ada.socket.fetchAccountReachoutTimelock()).isActive, true);
  const over = until(ada.socket, ({ reachoutTimeLock }) => reachoutTimeLock?.isActive === false);
  network.hub.clearFaults();
  await over;
});

for (const as of ['device', 'batch'] as const) {
  test(`keys are refused with 406 (${as}): stock sends to nobody then`, async () => {
    const name = as === 'device' ? '4915170000011' : '4915170000012';
    const { account } = addPhone(network.hub, name, 'Cyd');
    network.hub.setFaults({ refuseKeys: { as, device: account.lid, code: null } });
    await assert.rejects(ada.socket.sendMessage(account.jid, { text: 'to nobody' }));
    network.hub.clearFaults();
    assert.equal((await ackTo(account.jid, 'to Cyd')).attrs.error, undefined);
  });
}

test('properties are told once, and then as what has changed, which stock takes for all', async () => {
  network.hub.setFaults({ properties: { 14303: 'true' } });
  const { socket, companion } = await linkedSocket(network, '4915170000021', 'Dan');
  await eventually(() => socket.serverProps.lidTrustedTokenIssueToLid, 'the property');
  await eventually(() => companion.creds.lastPropHash !== undefined, 'its hash');
  const ended = closed(socket);
  assert.ok(network.hub.drop('4915170000021') > 0);
  await ended;
  const again = connect(network, companion);
  await opened(again);
  const asked = { tag: 'iq', attrs: { to: '@s.whatsapp.net', xmlns: 'abt', type: 'get' } };
  const hash = companion.creds.lastPropHash!;
  const answer = await again.query({ ...asked, content: [{ tag: 'props', attrs: { protocol: '1', hash } }] });
  const [props] = answer.content as BinaryNode[];
  assert.deepEqual([props!.attrs.delta_update, props!.content ?? []], ['true', []]);
  assert.equal(again.serverProps.lidTrustedTokenIssueToLid, false);
});

test('acks come late, or never', async () => {
  network.hub.setFaults({ ackDelayMs: 150 });
  const start = performance.now();
  await ackOf('late');
  assert.ok(performance.now() - start >= 145);
  network.hub.setFaults({ ackDelayMs: 0, withholdAcks: true });
  let acks = 0;
  ada.socket.ws.on('CB:ack,class:message', () => (acks += 1));
  const arrived = stanza(bob.socket, 'CB:message');
  await ada.socket.sendMessage(bob.account.jid, { text: 'never acked' });
  await arrived;
  await ada.socket.fetchPrivacySettings(true);
  assert.equal(acks, 0);
});

test('latency delays what the server sends, in order', async () => {
  network.hub.setFaults({ latencyMs: 80 });
  const start = performance.now();
  await ada.socket.fetchPrivacySettings(true);
  assert.ok(performance.now() - start >= 75);
});

test('every n-th stanza is lost with its connection', async () => {
  const ended = closed(ada.socket);
  network.hub.setFaults({ dropEvery: 3 });
  for (let count = 0; count < 3; count += 1)
    void ada.socket.sendMessage(bob.account.jid, { text: 'x' }).catch(() => {});
  assert.equal(await ended, 428);
  network.hub.clearFaults();
  const socket = connect(network, ada.companion);
  await opened(socket);
  ada = { ...ada, socket };
});

test('connections are refused', async () => {
  network.hub.setFaults({ refuseConnections: true });
  assert.ok(await closed(connect(network, ada.companion)));
});

test('a half-open connection is silent until the client gives up', async () => {
  network.hub.setFaults({ halfOpen: true });
  await assert.rejects(ada.socket.query(ping(), 100), /Timed Out/);
  network.hub.clearFaults();
  const ended = closed(ada.socket);
  ada.socket.query(ping(), 100).catch(() => {});
  assert.equal(await ended, 428);
  const socket = connect(network, ada.companion);
  await opened(socket);
  ada = { ...ada, socket };
});

test('what a half-open network has swallowed ends the connection, and comes again on the next one', async () => {
  network.hub.setFaults({ halfOpen: true });
  const swallowed = { tag: 'call', attrs: { id: 'swallowed', from: bob.account.jid } };
  deliver(network.hub.state, ada.device, swallowed);
  network.hub.clearFaults();
  const ended = closed(ada.socket);
  ada.socket.query(ping(), 100).catch(() => {});
  assert.equal(await ended, 428);
  const socket = connect(network, ada.companion);
  const again = stanza(socket, 'CB:call');
  await opened(socket);
  assert.equal((await again).attrs.id, 'swallowed');
  ada = { ...ada, socket };
});

test('a QR expires', async () => {
  network.hub.setFaults({ expireQrAfterMs: 5_000 });
  const phone = addPhone(network.hub, '4915170000003');
  const socket = connect(network, newCompanion());
  const { qr } = await until(socket, (update) => update.qr !== undefined);
  ahead = 5_000;
  await assert.rejects(network.hub.pairByQr(phone, qr!), /expired/);
  ahead = 0;
  socket.end(undefined);
});

test('the network asks for a new QR, and links only by that', async () => {
  network.hub.setFaults({ rotateQr: 'companion_reg_refresh' });
  const phone = addPhone(network.hub, '4915170000004');
  const companion = newCompanion();
  const socket = connect(network, companion);
  const { qr } = await until(socket, (update) => update.qr !== undefined);
  const asked = stanza(socket, 'CB:notification,type:companion_reg_refresh');
  await assert.rejects(network.hub.pairByQr(phone, qr!), /asked for a new QR/);
  await asked;
  await assert.rejects(network.hub.pairByQr(phone, qr!), /has been replaced/);
  // What a client that knows of this does: the current ref with a new secret.
  const secret = Buffer.alloc(32, 7).toString('base64');
  const rotated = qr!.replace(companion.creds.advSecretKey, secret);
  companion.creds.advSecretKey = secret;
  const ended = closed(socket);
  await network.hub.pairByQr(phone, rotated);
  assert.equal(await ended, 515);
});

test('the network asks for a passkey, and the link ends there', async () => {
  network.hub.setFaults({ passkeyGate: true });
  const phone = addPhone(network.hub, '4915170000005');
  const socket = connect(network, newCompanion());
  const { qr } = await until(socket, (update) => update.qr !== undefined);
  const asked = stanza(socket, 'CB:notification,type:passkey_prologue_request');
  await assert.rejects(network.hub.pairByQr(phone, qr!), /asks for a passkey/);
  const notification = await asked;
  const options = Array.isArray(notification.content) ? notification.content[0]?.content : undefined;
  assert.ok(options instanceof Uint8Array);
  assert.equal(JSON.parse(Buffer.from(options).toString()).rpId, 'whatsapp.com');
  socket.end(undefined);
});

test('a cut connection is back after a new login', async () => {
  const ended = closed(bob.socket);
  assert.equal(network.hub.drop(bob.account.number), 1);
  assert.equal(bob.device.client, null);
  assert.equal(await ended, 428);
  const socket = connect(network, bob.companion);
  await opened(socket);
  await eventually(() => bob.device.client !== null, 'it is back');
});
