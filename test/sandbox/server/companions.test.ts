/** Traffic to an account's other devices and watchers: copies, reads, calls, presence, changed identities. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { BinaryNode, WAMessage, WASocket } from 'baileys';

import {
  connect,
  eventually,
  link,
  type Linked,
  linkedSocket,
  type Network,
  newCompanion,
  opened,
  stanza,
  startNetwork,
} from './support.ts';

let network: Network;
let ada: Linked;
let bob: Linked;
/** Ada's second companion. */
let tablet: WASocket;

before(async () => {
  network = await startNetwork();
  ada = await linkedSocket(network, '4915180000001', 'Ada');
  bob = await linkedSocket(network, '4915180000002', 'Bob');
  const companion = newCompanion();
  await link(network, ada.phone, companion);
  tablet = connect(network, companion);
  await opened(tablet);
});
after(async () => {
  await network.close();
  assert.deepEqual(network.problems, []);
});

const next = (socket: WASocket): Promise<WAMessage | undefined> =>
  new Promise((resolve) => {
    socket.ev.on('messages.upsert', ({ messages }) => resolve(messages[0]));
  });

const leaf = (tag: string, content: Uint8Array): BinaryNode => ({ tag, attrs: {}, content });

test('the other companion gets a copy of what was sent, in the same chat', async () => {
  const copy = next(tablet);
  await ada.socket.sendMessage(bob.account.jid, { text: 'to Bob' });
  const { key, message } = (await copy) ?? {};
  assert.equal(message?.extendedTextMessage?.text, 'to Bob');
  assert.equal(key?.fromMe, true);
  assert.equal(key?.remoteJid, bob.account.jid);
  assert.equal(key?.remoteJidAlt, bob.account.lid);
});

test('by LID as well', async () => {
  const copy = next(tablet);
  await ada.socket.sendMessage(bob.account.lid, { text: 'to the LID' });
  const { key } = (await copy) ?? {};
  assert.equal(key?.fromMe, true);
  assert.equal(key?.remoteJid, bob.account.lid);
  assert.equal(key?.remoteJidAlt, bob.account.jid);
});

test('what is read on one companion is read on the other', async () => {
  const [message, read] = [next(ada.socket), stanza(tablet, 'CB:receipt,type:read')];
  await bob.socket.sendMessage(ada.account.jid, { text: 'read me' });
  const key = (await message)?.key;
  assert.ok(key);
  await ada.socket.readMessages([key]);
  const { attrs } = await read;
  assert.equal(attrs.id, key.id);
  assert.equal(attrs.recipient, bob.account.jid);
});

test('a call rings on every companion, and stops when one rejects it', async () => {
  const { hub } = network;
  const rings = [ada.socket, tablet].map((socket) => stanza(socket, 'CB:call,,offer'));
  const stops = stanza(tablet, 'CB:call,,terminate');
  const answers: BinaryNode[] = [];
  const caller = bob.account.devices.get(0);
  assert.ok(caller);
  hub.attach(caller, { send: (node) => answers.push(node), close: () => {} });
  hub.receive(caller, {
    tag: 'call',
    attrs: { id: 'c1', to: ada.account.jid },
    content: [{ tag: 'offer', attrs: { 'call-id': 'CALL', 'call-creator': bob.account.jid }, content: [] }],
  });
  assert.deepEqual(
    (await Promise.all(rings)).map(({ attrs }) => attrs.from),
    [bob.account.jid, bob.account.jid],
  );
  await ada.socket.rejectCall('CALL', bob.account.jid);
  const stop = await stops;
  const signal = Array.isArray(stop.content) ? stop.content[0] : undefined;
  assert.equal(signal?.attrs.reason, 'rejected_elsewhere');
  await eventually(
    () => answers.some(({ tag, content }) => tag === 'call' && Array.isArray(content) && content[0]?.tag === 'reject'),
    'the caller hears of it',
  );
});

test('presence and typing are shown to who asks', async () => {
  const states: string[] = [];
  bob.socket.ev.on('presence.update', ({ presences }) => {
    for (const { lastKnownPresence } of Object.values(presences)) states.push(lastKnownPresence);
  });
  await bob.socket.presenceSubscribe(ada.account.jid);
  await eventually(() => states.includes('available'), 'she is online');
  await ada.socket.sendPresenceUpdate('composing', bob.account.jid);
  await eventually(() => states.includes('composing'), 'she is typing');
  await Promise.all([ada.socket.sendPresenceUpdate('unavailable'), tablet.sendPresenceUpdate('unavailable')]);
  await eventually(() => states.includes('unavailable'), 'she is gone');
});

test('who has keys of a phone hears of its new identity', async () => {
  const { hub } = network;
  const phone = ada.account.devices.get(0);
  assert.ok(phone?.keys);
  hub.attach(phone, { send: () => {}, close: () => {} });
  const { registrationId, signedPreKey } = phone.keys;
  const told = stanza(bob.socket, 'CB:notification,type:encrypt');
  hub.receive(phone, {
    tag: 'iq',
    attrs: { id: 'up', xmlns: 'encrypt', type: 'set', to: '@s.whatsapp.net' },
    content: [
      leaf('registration', Buffer.from([0, 0, registrationId >> 8, registrationId & 255])),
      leaf('identity', Buffer.alloc(32, 9)),
      { tag: 'list', attrs: {}, content: [] },
      {
        tag: 'skey',
        attrs: {},
        content: [
          leaf('id', Buffer.from([0, 0, 1])),
          leaf('value', signedPreKey.publicKey),
          leaf('signature', signedPreKey.signature),
        ],
      },
    ],
  });
  const { attrs, content } = await told;
  assert.equal(attrs.from, ada.account.jid);
  assert.equal(Array.isArray(content) && content[0]?.tag, 'identity');
});
