/** Two stock clients write to each other: acks, addressing, receipts, and what waits while one is away. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { proto, type WAMessage, type WASocket } from 'baileys';

import { childOf, element } from '../../../sandbox/src/base/nodes.ts';
import type { Client, Device } from '../../../sandbox/src/base/types.ts';

import {
  addPhone,
  closed,
  connect,
  eventually,
  type Linked,
  linkedSocket,
  type Network,
  opened,
  stanza,
  startNetwork,
} from './support.ts';

const { Status } = proto.WebMessageInfo;

let network: Network;
let ada: Linked;
let bob: Linked;

before(async () => {
  network = await startNetwork();
  [ada, bob] = await Promise.all([
    linkedSocket(network, '4915120000001', 'Ada'),
    linkedSocket(network, '4915120000002', 'Bob'),
  ]);
});
after(async () => {
  await network.close();
  assert.deepEqual(network.problems, []);
});

const collect = (socket: WASocket): WAMessage[] => {
  const messages: WAMessage[] = [];
  socket.ev.on('messages.upsert', (upsert) => messages.push(...upsert.messages));
  return messages;
};

const textOf = (message: WAMessage | undefined): string | null | undefined =>
  message?.message?.conversation ?? message?.message?.extendedTextMessage?.text;

const updatesOf = (socket: WASocket): Map<string, proto.WebMessageInfo.Status[]> => {
  const updates = new Map<string, proto.WebMessageInfo.Status[]>();
  socket.ev.on('messages.update', (batch) => {
    for (const { key, update } of batch) {
      const seen = updates.get(key.id ?? '') ?? [];
      if (typeof update.status === 'number') seen.push(update.status);
      updates.set(key.id ?? '', seen);
    }
  });
  return updates;
};

test('a text by phone number arrives, is acked, and its receipts come back', async () => {
  const inbox = collect(bob.socket);
  const updates = updatesOf(ada.socket);
  const acked = stanza(ada.socket, 'CB:ack,class:message');
  const sent = await ada.socket.sendMessage(bob.account.jid, { text: 'hello Bob' });
  const ack = await acked;
  assert.equal(ack.attrs.id, sent?.key.id);
  assert.equal(ack.attrs.error, undefined);
  assert.match(ack.attrs.t ?? '', /^\d{10}$/);
  await eventually(() => inbox.length === 1, 'the message arrives');
  assert.equal(textOf(inbox[0]), 'hello Bob');
  assert.equal(inbox[0]?.key.remoteJid, ada.account.jid);
  assert.equal(inbox[0]?.key.remoteJidAlt, ada.account.lid);
  assert.equal(inbox[0]?.key.fromMe, false);
  assert.equal(inbox[0]?.pushName, 'Ada');
  await eventually(
    () => updates.get(sent?.key.id ?? '')?.includes(Status.DELIVERY_ACK) === true,
    'the delivery receipt comes back',
  );
  await bob.socket.readMessages(inbox.map(({ key }) => key));
  await eventually(
    () => updates.get(sent?.key.id ?? '')?.includes(Status.READ) === true,
    'the read receipt comes back',
  );
  await eventually(() => ada.device.queue.size + bob.device.queue.size === 0, 'nothing waits');
});

test('a text by LID arrives under the LID, with the number beside it', async () => {
  const inbox = collect(ada.socket);
  await bob.socket.sendMessage(ada.account.lid, { text: 'by LID' });
  await eventually(() => inbox.length === 1, 'the message arrives');
  assert.equal(textOf(inbox[0]), 'by LID');
  assert.equal(inbox[0]?.key.remoteJid, bob.account.lid);
  assert.equal(inbox[0]?.key.remoteJidAlt, bob.account.jid);
  assert.equal(inbox[0]?.key.addressingMode, 'lid');
});

test('a hundred texts each way arrive once each and in order', async () => {
  const [toAda, toBob] = [collect(ada.socket), collect(bob.socket)];
  const numbers = Array.from({ length: 100 }, (_, index) => String(index));
  await Promise.all([
    ...numbers.map((text) => ada.socket.sendMessage(bob.account.jid, { text })),
    ...numbers.map((text) => bob.socket.sendMessage(ada.account.jid, { text })),
  ]);
  await eventually(() => toAda.length >= 100 && toBob.length >= 100, 'all arrive');
  assert.deepEqual(toAda.map(textOf), numbers);
  assert.deepEqual(toBob.map(textOf), numbers);
  await eventually(() => ada.device.queue.size + bob.device.queue.size === 0, 'every receipt is acked');
});

test('what arrives while a device is away waits for it, in order, and is marked offline', async () => {
  const gone = closed(bob.socket);
  bob.socket.end(undefined);
  await gone;
  for (const text of ['one', 'two', 'three']) await ada.socket.sendMessage(bob.account.jid, { text });
  await eventually(() => bob.device.queue.size === 3, 'they wait');
  assert.equal(network.hub.stats().pending[`${bob.account.number}:1@s.whatsapp.net`], 3);

  const socket = connect(network, bob.companion);
  const upserts: { text: unknown; type: string }[] = [];
  socket.ev.on('messages.upsert', ({ messages, type }) => {
    for (const message of messages) upserts.push({ text: textOf(message), type });
  });
  await opened(socket);
  await eventually(() => upserts.length === 3, 'they arrive');
  assert.deepEqual(
    upserts.map(({ text }) => text),
    ['one', 'two', 'three'],
  );
  assert.deepEqual(new Set(upserts.map(({ type }) => type)), new Set(['append']));
  await eventually(() => bob.device.queue.size === 0, 'nothing waits any more');
  bob = { ...bob, socket };
});

test('what was delivered but never acked is delivered again', async () => {
  bob.socket.ws.removeAllListeners('CB:message');
  const stats = network.hub.stats();
  await ada.socket.sendMessage(bob.account.jid, { text: 'lost on the way' });
  await eventually(() => network.hub.stats().messagesOut > stats.messagesOut, 'it is delivered');
  assert.equal(bob.device.queue.size, 1);
  network.hub.drop(bob.account.number);
  await eventually(() => bob.device.client === null, 'the connection is cut');

  const socket = connect(network, bob.companion);
  const inbox = collect(socket);
  await opened(socket);
  await eventually(() => inbox.length === 1, 'it arrives after all');
  assert.equal(textOf(inbox[0]), 'lost on the way');
  assert.equal(network.hub.stats().redelivered, stats.redelivered + 1);
  await eventually(() => bob.device.queue.size === 0, 'nothing waits any more');
  bob = { ...bob, socket };
});

test('the ack of a retry receipt settles the oldest alone; a later one comes again', () => {
  const { hub } = network;
  const [from, to] = [addPhone(hub, '4915120000003'), addPhone(hub, '4915120000004')];
  const [asking, asked] = [from, to].map(({ account }) => account.devices.get(0)!) as [Device, Device];
  const came: string[] = [];
  const client = (): Client => ({
    send: (node) => void (node.tag === 'receipt' && came.push(childOf(node, 'retry')!.attrs.count!)),
    close: () => undefined,
  });
  const [first, second] = [client(), client()];
  hub.attach(asked, first);
  const attrs = { id: 'A', to: to.account.lid, type: 'retry' };
  for (const count of ['1', '2'])
    hub.receive(asking, element('receipt', attrs, [element('retry', { count, id: 'A' })]));
  const ack = element('ack', { class: 'receipt', id: 'A', to: from.account.lid, type: 'retry' });
  hub.receive(asked, ack);
  hub.detach(asked, first);
  hub.attach(asked, second);
  assert.deepEqual(came, ['1', '2', '2']);
  hub.receive(asked, ack);
  assert.equal(asked.queue.size, 0);
  hub.detach(asked, second);
});
