/** Today's rules of addressing at the server: which stanzas it refuses, and what it answers about migrated accounts. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';

import type { BinaryNode } from 'baileys';

import type { Account } from '../../src/sandbox/types.ts';
import {
  addPhone,
  closeSound,
  link,
  type Linked,
  linkedSocket,
  newCompanion,
  type Network,
  startNetwork,
} from './server.support.ts';

let network: Network;
let ada: Linked;
let bob: Account;
let group: string;

before(async () => {
  network = await startNetwork({ addressing: 'strict' });
  ada = await linkedSocket(network, '4915190000001', 'Ada');
  bob = addPhone(network.hub, '4915190000002', 'Bob').account;
  group = (await ada.socket.groupCreate('Friends', [bob.lid])).id;
});
afterEach(() => {
  network.hub.clearFaults();
  for (const account of network.hub.accounts.values()) account.migrated = true;
});
after(() => closeSound(network));

const enc = (): BinaryNode => ({ tag: 'enc', attrs: { v: '2', type: 'msg' }, content: randomBytes(40) });

/** The ack of a message stanza whose ciphertexts are of no interest. */
const ackOf = async (
  attrs: Record<string, string>,
  participants: readonly string[],
  direct = false,
): Promise<BinaryNode> => {
  const id = randomBytes(8).toString('hex');
  const list = participants.map((jid) => ({ tag: 'to', attrs: { jid }, content: [enc()] }));
  const content = [
    ...(list.length > 0 ? [{ tag: 'participants', attrs: {}, content: list }] : []),
    ...(direct ? [enc()] : []),
  ];
  const answer = ada.socket.waitForMessage<BinaryNode>(id, 10_000);
  await ada.socket.sendNode({ tag: 'message', attrs: { id, type: 'text', ...attrs }, content });
  return (await answer)!;
};

const errorOf = async (to: string, participants: readonly string[], more: Record<string, string> = {}) =>
  (await ackOf({ to, ...more }, participants)).attrs.error;

test('a message to the LID of a migrated account passes, with its phone JID beside it', async () => {
  assert.equal(await errorOf(bob.lid, [bob.lid, ada.account.lid], { peer_recipient_pn: bob.jid }), undefined);
  assert.equal(network.hub.stats().wronglyAddressed, 0);
});

test('a message to the phone JID of a migrated account is refused with 463', async () => {
  assert.equal(await errorOf(bob.jid, [bob.jid, ada.account.jid]), '463');
  assert.equal(network.hub.stats().wronglyAddressed, 1);
});

test('two namespaces in one stanza are refused with 400', async () => {
  assert.equal(await errorOf(bob.jid, [bob.lid, ada.account.lid]), '400');
  assert.equal(await errorOf(bob.lid, [bob.lid, ada.account.jid]), '400');
  const copy = await ackOf({ to: ada.account.lid, recipient: bob.jid, device_fanout: 'false' }, [], true);
  assert.equal(copy.attrs.error, '400');
});

test('where one of the two accounts is not migrated, phone JIDs pass and LIDs are refused with 400', async () => {
  for (const account of [bob, ada.account]) {
    account.migrated = false;
    assert.equal(await errorOf(bob.lid, [bob.lid, ada.account.lid]), '400');
    assert.equal(await errorOf(bob.jid, [bob.jid, ada.account.jid]), undefined);
    account.migrated = true;
  }
});

test('a message that reaches no device of the recipient, or names one that is gone, is refused with 479', async () => {
  assert.equal(await errorOf(bob.lid, [ada.account.lid]), '479');
  const phone = addPhone(network.hub, '4915190000003', 'Carol');
  const device = await link(network, phone, newCompanion());
  const companion = phone.account.lid.replace('@', `:${device.id}@`);
  assert.equal(await errorOf(phone.account.lid, [phone.account.lid, companion, ada.account.lid]), undefined);
  network.hub.unlink(device);
  assert.equal(await errorOf(phone.account.lid, [phone.account.lid, companion, ada.account.lid]), '479');
});

test('a copy for one device, and messages between own devices, pass in their own ways', async () => {
  assert.equal((await ackOf({ to: bob.lid, device_fanout: 'false' }, [], true)).attrs.error, undefined);
  assert.equal((await ackOf({ to: ada.account.jid, category: 'peer' }, [], true)).attrs.error, undefined);
});

test('a group stanza in the wrong addressing mode is refused with 421, one with mixed participants with 400', async () => {
  const send = async (mode: string, jids: readonly string[]) =>
    (await ackOf({ to: group, addressing_mode: mode }, jids, true)).attrs.error;
  assert.equal(await send('lid', [bob.lid]), undefined);
  assert.equal(await send('pn', [bob.jid]), '421');
  assert.equal(await send('lid', [bob.jid]), '400');
  const old = (await ada.socket.query({
    tag: 'iq',
    attrs: { to: '@g.us', type: 'set', xmlns: 'w:g2' },
    content: [
      {
        tag: 'create',
        attrs: { subject: 'Old', key: '1', addressing_mode: 'pn' },
        content: [{ tag: 'participant', attrs: { jid: bob.jid } }],
      },
    ],
  })) as { content: BinaryNode[] };
  const jid = `${old.content[0]!.attrs.id}@g.us`;
  const { addressingMode, participants } = await ada.socket.groupMetadata(jid);
  assert.equal(addressingMode, 'pn');
  assert.deepEqual(
    participants.map((person) => [person.id, person.lid]),
    [
      [ada.account.jid, ada.account.lid],
      [bob.jid, bob.lid],
    ],
  );
  assert.equal((await ackOf({ to: jid, addressing_mode: 'pn' }, [bob.jid], true)).attrs.error, undefined);
  assert.equal((await ackOf({ to: jid, addressing_mode: 'lid' }, [bob.lid], true)).attrs.error, '421');
});

const devicesBy = async (jid: string): Promise<number> =>
  (await ada.socket.getUSyncDevices([jid], false, false)).length;

test('a device query by phone JID finds nothing of a migrated account, one by LID finds its devices', async () => {
  assert.equal(await devicesBy(bob.jid), 0);
  assert.equal(await devicesBy(bob.lid), 1);
  bob.migrated = false;
  assert.equal(await devicesBy(bob.jid), 1);
});

test('a number can be looked up, and its LID is answered', async () => {
  const [found] = (await ada.socket.onWhatsApp(bob.number))!;
  assert.deepEqual([found!.exists, found!.jid], [true, bob.jid]);
  assert.deepEqual(await ada.socket.signalRepository.lidMapping.getLIDForPN(bob.jid), bob.lid);
});

test('the lenient network takes either namespace', async () => {
  network.hub.setFaults({ addressing: 'lenient' });
  assert.equal(await errorOf(bob.jid, [bob.jid, ada.account.lid]), undefined);
  assert.equal(await devicesBy(bob.jid), 1);
});
