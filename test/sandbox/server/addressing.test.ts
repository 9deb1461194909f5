/** Today's rules of addressing at the server: which stanzas it refuses, and what it answers about migrated accounts. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';

import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildren,
  proto,
  USyncQuery,
  USyncUser,
} from 'baileys';

import type { Account } from '../../../sandbox/src/base/types.ts';
import {
  addPhone,
  closed,
  closeSound,
  connect,
  link,
  type Linked,
  linkedSocket,
  newCompanion,
  type Network,
  stanza,
  startNetwork,
  until,
} from './support.ts';

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

test('an account that is not migrated writes by phone JID, and is refused with 400 at any LID', async () => {
  ada.account.migrated = false;
  for (const migrated of [true, false]) {
    bob.migrated = migrated;
    assert.equal(await errorOf(bob.lid, [bob.lid, ada.account.lid]), '400');
    assert.equal(await errorOf(bob.jid, [bob.jid, ada.account.jid]), undefined);
  }
});

test('a migrated account reaches one that is not migrated by either address', async () => {
  bob.migrated = false;
  assert.equal(await errorOf(bob.lid, [bob.lid, ada.account.lid], { peer_recipient_pn: bob.jid }), undefined);
  assert.equal(await errorOf(bob.jid, [bob.jid, ada.account.jid]), undefined);
  assert.equal(await errorOf(bob.jid, [bob.lid, ada.account.lid]), '400');
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
  network.hub.state.groups.get(group)!.mode = 'pn';
  const { addressingMode, participants } = await ada.socket.groupMetadata(group);
  assert.equal(addressingMode, 'pn');
  assert.deepEqual(
    participants.map((person) => [person.id, person.lid]),
    [
      [ada.account.jid, ada.account.lid],
      [bob.jid, bob.lid],
    ],
  );
  assert.equal((await ackOf({ to: group, addressing_mode: 'pn' }, [bob.jid], true)).attrs.error, undefined);
  assert.equal((await ackOf({ to: group, addressing_mode: 'lid' }, [bob.lid], true)).attrs.error, '421');
  network.hub.state.groups.get(group)!.mode = 'lid';
});

const devicesBy = async (jid: string): Promise<number> =>
  (await ada.socket.getUSyncDevices([jid], false, false)).length;

test('a device query by phone JID finds nothing of a migrated account, one by LID finds its devices', async () => {
  assert.equal(await devicesBy(bob.jid), 0);
  assert.equal(await devicesBy(bob.lid), 1);
  bob.migrated = false;
  assert.equal(await devicesBy(bob.jid), 1);
  assert.equal(await devicesBy(bob.lid), 1);
  bob.migrated = true;
  ada.account.migrated = false;
  assert.equal(await devicesBy(bob.jid), 1);
});

test('a number can be looked up, and its LID is answered', async () => {
  const [found] = (await ada.socket.onWhatsApp(bob.number))!;
  assert.deepEqual([found!.exists, found!.jid], [true, bob.jid]);
  assert.deepEqual(await ada.socket.signalRepository.lidMapping.getLIDForPN(bob.jid), bob.lid);
});

test('an ack carries the hash of the list of devices where the sender has another one', async () => {
  const phone = addPhone(network.hub, '4915190000004', 'Dora');
  const { lid } = phone.account;
  assert.equal((await ackOf({ to: lid }, [lid, ada.account.lid])).attrs.phash, undefined);
  const device = await link(network, phone, newCompanion());
  const jids = [0, 1].map((id) => ada.account.lid.replace('@', `.0:${id}@`));
  const list = [...jids, lid.replace('@', '.0:0@'), lid.replace('@', `.0:${device.id}@`)];
  // In the order of their bytes, as whatsmeow and zapo sort them.
  const text = list.sort((a, b) => (a < b ? -1 : 1)).join('');
  const hash = `2:${createHash('sha256').update(text).digest().subarray(0, 6).toString('base64')}`;
  assert.equal((await ackOf({ to: lid }, [lid, ada.account.lid])).attrs.phash, hash);
  const companion = lid.replace('@', `:${device.id}@`);
  assert.equal((await ackOf({ to: lid }, [lid, companion, ada.account.lid])).attrs.phash, undefined);
  // A copy for one device says nothing of the others.
  assert.equal((await ackOf({ to: lid, device_fanout: 'false' }, [], true)).attrs.phash, undefined);
});

test('in a group the hash of the stanza is compared', async () => {
  const send = async (phash?: string) =>
    (await ackOf({ to: group, addressing_mode: 'lid', ...(phash !== undefined && { phash }) }, [], true)).attrs.phash;
  assert.equal(await send(), undefined);
  const hash = await send('2:AAAAAAAA');
  assert.match(hash!, /^2:[\w+/]{8}$/);
  assert.equal(await send(hash), undefined);
});

test('a message to a LID that the account had before is taken, and the ack says that it is another one now', async () => {
  const { account } = addPhone(network.hub, '4915190000005', 'Emil');
  const former = account.lid;
  network.hub.renewLid(account);
  assert.notEqual(account.lid, former);
  const ack = await ackOf({ to: former }, [former, ada.account.lid]);
  assert.deepEqual([ack.attrs.error, ack.attrs.refresh_lid], [undefined, 'true']);
  assert.equal((await ackOf({ to: account.lid }, [account.lid, ada.account.lid])).attrs.refresh_lid, undefined);
  const query = new USyncQuery().withLIDProtocol().withUser(new USyncUser().withId(account.jid));
  assert.deepEqual((await ada.socket.executeUSyncQuery(query))?.list, [{ id: account.jid, lid: account.lid }]);
});

test('devices that come and go are told in one entry, with both addresses and the hashes of both lists', async () => {
  const phone = addPhone(network.hub, '4915190000006', 'Frida');
  const { jid, lid } = phone.account;
  await ada.socket.getUSyncDevices([lid], false, false);
  const told = stanza(ada.socket, 'CB:notification,type:devices');
  const device = await link(network, phone, newCompanion());
  const notification = await told;
  assert.deepEqual([notification.attrs.from, notification.attrs.lid], [jid, lid]);
  const change = getBinaryNodeChild(notification, 'add')!;
  assert.deepEqual(
    getBinaryNodeChildren(change, 'device').map(({ attrs }) => [attrs.jid, attrs.lid]),
    [[jid.replace('@', `:${device.id}@`), lid.replace('@', `:${device.id}@`)]],
  );
  assert.match(change.attrs.device_hash!, /^2:/);
  assert.match(change.attrs.device_lid_hash!, /^2:/);
});

test('pair-success tells of the migration and, to a business account alone, of its name', async () => {
  const tellsOf = async (number: string, given: Partial<Account>) => {
    const phone = addPhone(network.hub, number, 'Shop');
    Object.assign(phone.account, given);
    const socket = connect(network, newCompanion());
    const told = stanza(socket, 'CB:iq,,pair-success');
    const ended = closed(socket);
    const { qr } = await until(socket, (update) => update.qr !== undefined);
    await network.hub.pairByQr(phone, qr!);
    await ended;
    const success = getBinaryNodeChild(await told, 'pair-success');
    const props = getBinaryNodeChildBuffer(success, 'client-props');
    return {
      migrated: props && proto.ClientPairingProps.decode(props).isChatDbLidMigrated,
      business: getBinaryNodeChild(success, 'biz')?.attrs.name,
    };
  };
  assert.deepEqual(await tellsOf('4915190000007', {}), { migrated: true, business: undefined });
  const shop = { migrated: false, business: true };
  assert.deepEqual(await tellsOf('4915190000008', shop), { migrated: false, business: 'Shop' });
  const untold = { migrationTold: [] };
  assert.deepEqual(await tellsOf('4915190000009', untold), { migrated: undefined, business: undefined });
});

test('the properties of a migrated account say so', async () => {
  const properties = async () => {
    const answer = await ada.socket.query({
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'abt' },
      content: [{ tag: 'props', attrs: { protocol: '1' } }],
    });
    return getBinaryNodeChildren(getBinaryNodeChild(answer, 'props'), 'prop').map(({ attrs }) => attrs);
  };
  assert.deepEqual(await properties(), [{ config_code: '9435', config_value: 'true' }]);
  ada.account.migrated = false;
  assert.deepEqual(await properties(), []);
});

test('the lenient network takes either namespace', async () => {
  network.hub.setFaults({ addressing: 'lenient' });
  assert.equal(await errorOf(bob.jid, [bob.jid, ada.account.lid]), undefined);
  assert.equal(await devicesBy(bob.jid), 1);
});
