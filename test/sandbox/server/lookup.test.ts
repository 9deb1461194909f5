/** Queries of a stock client: accounts by number, keys, block list, privacy, media host, groups. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { BinaryNode } from 'baileys';

import { childOf, childrenOf, element } from '../../../sandbox/src/base/nodes.ts';
import { addPhone, eventually, type Linked, linkedSocket, type Network, stanza, startNetwork } from './support.ts';

let network: Network;
let ada: Linked;
let bob: Linked;

before(async () => {
  network = await startNetwork({ mediaHost: () => '127.0.0.1:4443' });
  [ada, bob] = await Promise.all([
    linkedSocket(network, '4915150000001', 'Ada'),
    linkedSocket(network, '4915150000002', 'Bob'),
  ]);
});
after(async () => {
  await network.close();
  assert.deepEqual(network.problems, []);
});

const query = (xmlns: string, type: string, content: BinaryNode[]): Promise<BinaryNode> =>
  ada.socket.query(element('iq', { to: '@s.whatsapp.net', xmlns, type }, content));

test('a number is found in either of its national forms, an unknown one is not', async () => {
  addPhone(network.hub, '551187654321');
  addPhone(network.hub, '5215512345678');
  addPhone(network.hub, '5491123456789');
  const found = await ada.socket.onWhatsApp('5511987654321', '525512345678', '541123456789', '4915159999999');
  assert.deepEqual(
    found?.map(({ jid, exists }) => [jid, exists]),
    [
      ['551187654321@s.whatsapp.net', true],
      ['5215512345678@s.whatsapp.net', true],
      ['5491123456789@s.whatsapp.net', true],
    ],
  );
});

test('a one-time prekey is handed out once, by number or LID, and the owner refills when they run low', async () => {
  const { keys } = bob.device;
  assert.ok(keys);
  const ids: number[] = [];
  for (const jid of [bob.account.jid, bob.account.lid].map((bare) => bare.replace('@', ':1@'))) {
    const answer = await query('encrypt', 'get', [element('key', {}, [element('user', { jid })])]);
    const [user] = childrenOf(childOf(answer, 'list'));
    assert.equal(user?.attrs.jid, jid);
    const id = childOf(childOf(user, 'key'), 'id')?.content;
    assert.ok(id instanceof Uint8Array);
    ids.push(Buffer.from(id).readUIntBE(0, 3));
  }
  assert.equal(new Set(ids).size, 2);
  for (const id of ids) assert.equal(keys.preKeys.has(id), false);
  for (const id of [...keys.preKeys.keys()].slice(5)) keys.preKeys.delete(id);
  await query('encrypt', 'get', [element('key', {}, [element('user', { jid: bob.account.lid.replace('@', ':1@') })])]);
  await eventually(() => keys.preKeys.size > 5, 'the client uploads more');
});

test('a device that does not exist has no keys', async () => {
  const answer = await query('encrypt', 'get', [element('key', {}, [element('user', { jid: '1:7@s.whatsapp.net' })])]);
  const [user] = childrenOf(childOf(answer, 'list'));
  assert.equal(childOf(user, 'error')?.attrs.code, '404');
});

test('the signed prekey can be rotated, and the key bundle is confirmed', async () => {
  const old = bob.device.keys?.signedPreKey.id;
  await bob.socket.rotateSignedPreKey();
  assert.notEqual(bob.device.keys?.signedPreKey.id, old);
  await bob.socket.digestKeyBundle();
});

test('what is asked of every client gets an answer', async () => {
  assert.equal((await ada.socket.fetchPrivacySettings(true))['readreceipts'], 'all');
  assert.deepEqual(await ada.socket.fetchBlocklist(), []);
  const media = await ada.socket.refreshMediaConn(true);
  assert.equal(media.hosts[0]?.hostname, '127.0.0.1:4443');
  await assert.rejects(ada.socket.profilePictureUrl(bob.account.jid), /item-not-found/);
  assert.equal((await ada.socket.fetchAccountReachoutTimelock()).isActive, false);
  await ada.socket.fetchStatus(bob.account.jid);
  await ada.socket.updateProfileStatus('here');
  await ada.socket.sendWAMBuffer(Buffer.from('x'));
  await assert.rejects(query('no:such', 'get', [element('thing')]), /feature-not-implemented/);
  assert.equal(network.hub.stats().unknownStanzas, 1);
});

test('messages of someone who is blocked do not arrive', async () => {
  const inbox: string[] = [];
  bob.socket.ev.on('messages.upsert', ({ messages }) => {
    for (const { message } of messages) inbox.push(message?.extendedTextMessage?.text ?? '');
  });
  await ada.socket.sendMessage(bob.account.jid, { text: 'before' });
  await eventually(() => inbox.length === 1, 'the first arrives');
  await bob.socket.updateBlockStatus(ada.account.jid, 'block');
  assert.deepEqual(await bob.socket.fetchBlocklist(), [ada.account.lid]);
  await ada.socket.sendMessage(bob.account.jid, { text: 'blocked' });
  await bob.socket.updateBlockStatus(ada.account.lid, 'unblock');
  await ada.socket.sendMessage(bob.account.jid, { text: 'after' });
  await eventually(() => inbox.length > 1, 'the third arrives');
  assert.deepEqual(inbox, ['before', 'after']);
});

test('a group is made, asked about, written to and left', async () => {
  const inbox: [string | null | undefined, string | null | undefined, string | null | undefined][] = [];
  bob.socket.ev.on('messages.upsert', ({ messages }) => {
    for (const { key, message } of messages) {
      if (message?.extendedTextMessage) inbox.push([message.extendedTextMessage.text, key.remoteJid, key.participant]);
    }
  });
  const added: string[] = [];
  bob.socket.ev.on('groups.upsert', (groups) => added.push(...groups.map(({ id }) => id)));
  const group = await ada.socket.groupCreate('Tea', [bob.account.lid]);
  assert.equal(group.subject, 'Tea');
  await eventually(() => added.includes(group.id), 'the other hears of the group');
  const metadata = await bob.socket.groupMetadata(group.id);
  assert.deepEqual(
    metadata.participants.map(({ id, phoneNumber, admin }) => [id, phoneNumber, admin]),
    [
      [ada.account.lid, ada.account.jid, 'superadmin'],
      [bob.account.lid, bob.account.jid, null],
    ],
  );
  await ada.socket.sendMessage(group.id, { text: 'first' });
  await ada.socket.sendMessage(group.id, { text: 'second' });
  await eventually(() => inbox.length === 2, 'both arrive');
  assert.deepEqual(inbox, [
    ['first', group.id, ada.account.lid],
    ['second', group.id, ada.account.lid],
  ]);
  await assert.rejects(bob.socket.groupParticipantsUpdate(group.id, [ada.account.lid], 'demote'), /forbidden/);
  const told: BinaryNode[] = [];
  ada.socket.ws.on('CB:notification,type:w:gp2', (node: BinaryNode) => told.push(node));
  await bob.socket.groupLeave(group.id);
  await eventually(() => told.length > 0, 'the other hears that he has left');
  const [left] = childrenOf(told[0]);
  assert.deepEqual(
    [told[0]?.attrs.participant, left?.tag, childrenOf(left)[0]?.attrs.jid],
    [bob.account.lid, 'remove', bob.account.lid],
  );
  assert.deepEqual(Object.keys(await bob.socket.groupFetchAllParticipating()), []);
});

test('who is added later gets the whole group, the others the change; each refusal has its code', async () => {
  const carol = addPhone(network.hub, '4915150000003', 'Carol');
  const { id } = await ada.socket.groupCreate('Coffee', [carol.account.lid]);
  const upserted: string[] = [];
  bob.socket.ev.on('groups.upsert', (groups) => upserted.push(...groups.map((group) => group.id)));
  const create = stanza(bob.socket, 'CB:notification,type:w:gp2');
  const change = async (jids: readonly string[], action: 'add' | 'remove' | 'promote' | 'demote') =>
    (await ada.socket.groupParticipantsUpdate(id, [...jids], action)).map(({ status }) => status);
  assert.deepEqual(await change([bob.account.lid, carol.account.lid, '1@lid'], 'add'), ['200', '409', '404']);

  const notice = await create;
  const { participant, participant_pn, notify, addressing_mode } = notice.attrs;
  assert.deepEqual(
    [participant, participant_pn, notify, addressing_mode],
    [ada.account.lid, ada.account.jid, 'Ada', 'lid'],
  );
  const [created] = childrenOf(notice);
  assert.deepEqual([created?.tag, created?.attrs.type], ['create', undefined]);
  assert.equal(childrenOf(childOf(created, 'group')).filter(({ tag }) => tag === 'participant').length, 3);
  await eventually(() => upserted.includes(id), 'the client hears of the group');
  const [added] = [...carol.account.devices.get(0)!.queue.values()].at(-1)!.node.content as BinaryNode[];
  assert.deepEqual([added?.tag, added?.attrs], ['add', { prev_v_id: '0', v_id: '1' }]);
  assert.deepEqual(
    childrenOf(added).map(({ attrs }) => attrs),
    [{ jid: bob.account.lid, phone_number: bob.account.jid }],
  );

  assert.deepEqual(await change([ada.account.lid], 'demote'), ['403']);
  assert.deepEqual(await change([bob.account.lid], 'promote'), ['200']);
  assert.deepEqual(await change([bob.account.lid], 'remove'), ['200']);
  assert.deepEqual(await change([bob.account.lid], 'remove'), ['404']);
});

test('keys of single devices that a client lacks are handed out by account; who has none is named with 404', async () => {
  const asked = (jid: string, id: string) => element('user', { jid }, [element('device', { id })]);
  const answer = await query('encrypt', 'get', [
    element('key_fetch', {}, [asked(bob.account.lid, '1'), asked(bob.account.lid, '7'), asked('1@lid', '0')]),
  ]);
  const [one, seventh, nobody] = childrenOf(childOf(answer, 'list'));
  const device = childOf(one, 'device');
  assert.deepEqual([one?.attrs.jid, device?.attrs.id], [bob.account.lid, '1']);
  assert.deepEqual(childOf(device, 'identity')?.content, Buffer.from(bob.device.keys!.identity));
  assert.ok(childOf(device, 'key'));
  for (const user of [seventh, nobody]) assert.equal(childOf(user, 'error')?.attrs.code, '404');
});

test('what is asked in a query of accounts and is not known is refused in its result', async () => {
  const asked = element('usync', { context: 'interactive', mode: 'query', sid: '1', last: 'true', index: '0' }, [
    element('query', {}, [element('sidelist'), element('lid')]),
    element('list', {}, [element('user', { jid: bob.account.jid })]),
  ]);
  const answer = await query('usync', 'get', [asked]);
  const result = childOf(childOf(answer, 'usync'), 'result');
  assert.equal(childOf(childOf(result, 'sidelist'), 'error')?.attrs.code, '501');
  assert.equal(childOf(childOf(result, 'lid'), 'error'), undefined);
});

test('a passive client gets what waits when it is active again', async () => {
  const got: (string | null | undefined)[] = [];
  bob.socket.ev.on('messages.upsert', ({ messages }) => {
    for (const { message } of messages) got.push(message?.extendedTextMessage?.text);
  });
  const turn = (tag: string) =>
    bob.socket.query(element('iq', { to: '@s.whatsapp.net', xmlns: 'passive', type: 'set' }, [element(tag)]));
  await turn('passive');
  await ada.socket.sendMessage(bob.account.jid, { text: 'later' });
  const waits = () =>
    [...bob.device.queue.values()].some(({ node, delivered }) => node.tag === 'message' && !delivered);
  await eventually(waits, 'it waits');
  assert.equal(got.length, 0);
  await turn('active');
  await eventually(() => got.includes('later'), 'it arrives');
});
