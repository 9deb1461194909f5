/** Phone numbers and LIDs: what Baileys asks, what events need, and how sessions follow a mapping. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LIDMapping } from 'baileys';
import { LIDMappingStore } from 'baileys/lib/Signal/lid-mapping.js';
import { watchTurns } from '../../support/turns.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { decrypt, encrypt, establish, log, memoryKeys, memoryStore, open, ourParty, stockParty } from './support.ts';

const phone = '4915100000000@s.whatsapp.net';
const lid = '2000@lid';

const mappingOver = (store = memoryStore(), now: () => number = () => 0) =>
  makeLidMapping({ deviceId: 1, store, clock: { now } });

test('it answers as the stock mapping does', async () => {
  const ours = mappingOver();
  const stock = new LIDMappingStore(memoryKeys(), log);
  const asked: string[][] = [];
  for (const mapping of [ours, stock]) {
    await mapping.storeLIDPNMappings([{ lid, pn: phone }]);
    await mapping.storeLIDPNMappings([{ lid: 'x@g.us', pn: phone }]);
    const answers: unknown[] = [];
    for (const pn of [
      phone,
      '4915100000000:7@s.whatsapp.net',
      '4915100000000:99@hosted',
      '1@s.whatsapp.net',
      lid,
      '1@g.us',
    ]) {
      answers.push(await mapping.getLIDForPN(pn));
    }
    for (const each of [lid, '2000:7@lid', '9@lid', phone]) answers.push(await mapping.getPNForLID(each));
    answers.push(await mapping.getLIDsForPNs([phone, '1@s.whatsapp.net']), await mapping.getLIDsForPNs([]));
    answers.push(await mapping.getPNsForLIDs([lid, '9@lid']), await mapping.getPNsForLIDs([]));
    asked.push(answers.map((answer) => JSON.stringify(answer)));
  }
  assert.deepEqual(asked[0], asked[1]);
  assert.equal(asked[0]![1], '"2000:7@lid"');
});

test('a pair is kept in either order, once, and survives the cache', async () => {
  const store = memoryStore();
  const mapping = mappingOver(store);
  await mapping.storeLIDPNMappings([{ lid: phone, pn: lid }]);
  await mapping.storeLIDPNMappings([{ lid, pn: phone }]);
  assert.equal(store.commits.length, 1);
  mapping.close();
  await mapping.storeLIDPNMappings([{ lid, pn: phone }]);
  assert.equal(store.commits.length, 1);
  assert.equal(await mapping.getPNForLID(lid), '4915100000000:0@s.whatsapp.net');
});

test('events find both addresses: at once from the cache, or from the store', async () => {
  const store = memoryStore();
  await mappingOver(store).storeLIDPNMappings([{ lid, pn: phone }]);
  const mapping = mappingOver(store);
  assert.deepEqual(mapping.peek(phone), { phone, lid: null });
  assert.deepEqual(await mapping.addressesOf('4915100000000:5@s.whatsapp.net'), { phone, lid });
  assert.deepEqual(mapping.peek(phone), { phone, lid });
  assert.deepEqual(await mapping.addressesOf('2000:5@lid'), { phone, lid });
  assert.deepEqual(await mapping.addressesOf('1@lid'), { phone: null, lid: '1@lid' });
  assert.deepEqual(await mapping.addressesOf('1@g.us'), { phone: null, lid: null });
});

test('a stored pair that a stanza tells again is no news after a restart, whichever address was read', async () => {
  const store = memoryStore();
  await mappingOver(store).storeLIDPNMappings([{ lid, pn: phone }]);
  const stanza = { tag: 'message', attrs: { id: '1', from: '1@g.us', participant: lid, participant_pn: phone } };
  for (const read of [lid, phone]) {
    const mapping = mappingOver(store);
    await mapping.addressesOf(read);
    assert.deepEqual(mapping.changesOf(stanza), []);
  }
});

test('what is learned goes into the commit of the message, and counts from then on', async () => {
  const store = memoryStore();
  const told = { tag: 'message', attrs: { from: lid, sender_pn: phone } };
  const ours = ourParty('1000@lid', { store, onPlaintext: () => ({ keys: ours.mapping.changesOf(told) }) });
  const stock = stockParty(lid);
  await open(stock, ours);
  const message = await encrypt(stock, ours, 'hi');
  store.failure = new Error('disk full');
  await assert.rejects(decrypt(ours, stock, message));
  assert.deepEqual(ours.mapping.peek(lid), { phone: null, lid });
  store.failure = null;
  store.commits.length = 0;
  await decrypt(ours, stock, message);
  assert.equal(store.commits.length, 1);
  assert.deepEqual(ours.mapping.peek(lid), { phone, lid });
  assert.deepEqual(ours.mapping.changesOf(told), []);
  assert.deepEqual(ours.mapping.changesOf({ tag: 'message', attrs: { from: '1@g.us', sender_pn: phone } }), []);
});

test('the network is asked once at a time, and not again soon about who it does not know', async () => {
  let now = 0;
  const asked: string[][] = [];
  const answers: LIDMapping[] = [];
  const mapping = mappingOver(memoryStore(), () => now);
  mapping.askWith(async (jids) => {
    asked.push(jids);
    return answers;
  });
  const unknown = '1:3@s.whatsapp.net';
  assert.deepEqual(await Promise.all([mapping.getLIDForPN(unknown), mapping.getLIDForPN('1@s.whatsapp.net')]), [
    null,
    null,
  ]);
  assert.equal(await mapping.getLIDForPN(unknown), null);
  assert.deepEqual(asked, [['1@s.whatsapp.net']]);
  now = 60_000;
  answers.push({ lid: '11@lid', pn: '1@s.whatsapp.net' });
  assert.equal(await mapping.getLIDForPN(unknown), '11:3@lid');
  assert.equal(await mapping.getLIDForPN(unknown), '11:3@lid');
  assert.equal(asked.length, 2);
  mapping.askWith(async () => {
    throw new Error('Timed Out');
  });
  await assert.rejects(mapping.getLIDForPN('2@s.whatsapp.net'), { message: 'Timed Out' });
});

test('a LID that was told for two numbers is that of the newest, until the network tells again', async () => {
  const other = '4915100000001@s.whatsapp.net';
  for (const store of [memoryStore(), memoryStore()]) {
    const mapping = mappingOver(store);
    await mapping.storeLIDPNMappings([{ lid, pn: phone }]);
    await mapping.storeLIDPNMappings([{ lid, pn: other }]);
    const reread = mappingOver(store);
    for (const each of [mapping, reread]) {
      assert.deepEqual(await each.addressesOf(phone), { phone, lid: null });
      assert.deepEqual(await each.addressesOf(other), { phone: other, lid });
      assert.deepEqual(await each.addressesOf(lid), { phone: other, lid });
    }
    mapping.askWith(async () => [{ lid: '2001@lid', pn: phone }]);
    assert.equal(await mapping.getLIDForPN(phone), '2001@lid');
    assert.deepEqual(await mapping.addressesOf(other), { phone: other, lid });
  }
});

test('a LID that is asked for again follows the answer, and what comes from the former one is the same person', async () => {
  const mapping = mappingOver();
  await mapping.storeLIDPNMappings([{ lid, pn: phone }]);
  mapping.askWith(async () => [{ lid: '2001@lid', pn: phone }]);
  await mapping.refresh(phone);
  assert.deepEqual(mapping.peek(phone), { phone, lid: '2001@lid' });
  assert.deepEqual(mapping.peek(lid), { phone, lid });
  mapping.askWith(async () => []);
  await mapping.refresh(phone);
  assert.deepEqual(mapping.peek(phone), { phone, lid: null });
  mapping.askWith(async () => Promise.reject(new Error('no answer')));
  await mapping.storeLIDPNMappings([{ lid, pn: phone }]);
  await assert.rejects(mapping.refresh('4915100000009@s.whatsapp.net'), /no answer/);
  assert.deepEqual(mapping.peek(phone), { phone, lid });
});

test('the cache is bounded', async () => {
  const store = memoryStore();
  const mapping = makeLidMapping({ deviceId: 1, store, capacity: 10 });
  const people = Array.from({ length: 30 }, (_, i) => ({ lid: `${i + 500}@lid`, pn: `${i + 100}@s.whatsapp.net` }));
  await mapping.storeLIDPNMappings(people);
  assert.equal(people.filter(({ pn }) => mapping.peek(pn).lid !== null).length, 10);
  for (const { pn, lid: expected } of people) assert.equal(await mapping.getLIDForPN(pn), expected);
});

test('a person has one session, whichever address is used', async () => {
  const store = memoryStore();
  const ours = ourParty('1000@lid', { store });
  const underLid = stockParty('2000:3@lid');
  const underPhone = { ...underLid, jid: '4915100000000:3@s.whatsapp.net' };
  await ours.mapping.storeLIDPNMappings([{ lid, pn: phone }]);
  await establish(ours, underPhone);
  assert.equal(await decrypt(underLid, ours, await encrypt(ours, underLid, 'by LID')), 'by LID');
  assert.equal(await decrypt(ours, underPhone, await encrypt(underLid, ours, 'by phone')), 'by phone');
  assert.deepEqual(
    [...store.keys.keys()].filter((key) => key.includes('/session/')),
    ['1/session/2000_1.3'],
  );
});

test('sessions move with the mapping, all devices in one commit', async () => {
  const store = memoryStore();
  const ours = ourParty('1000@lid', { store });
  const devices = ['', ':3', ':12'].map((device) => stockParty(`4915100000000${device}@s.whatsapp.net`));
  for (const device of devices) await establish(ours, device);
  await ours.keys.set({ 'device-list': { '4915100000000': ['0', '3', '12', '40'] } });
  await ours.mapping.storeLIDPNMappings([{ lid, pn: phone }]);
  store.commits.length = 0;
  assert.deepEqual(await ours.repository.migrateSession(phone, lid), { migrated: 3, skipped: 0, total: 3 });
  assert.equal(store.commits.length, 1);
  const left = [...store.keys.keys()].filter((key) => /\/(session|identity-key)\/4915/.test(key));
  assert.deepEqual(left, []);
  for (const device of devices) {
    assert.equal(await decrypt(ours, device, await encrypt(device, ours, 'after')), 'after');
    assert.equal(await decrypt(device, ours, await encrypt(ours, device, 'after')), 'after');
  }
  const reads = store.reads;
  assert.deepEqual(await ours.repository.migrateSession(phone, lid), { migrated: 0, skipped: 0, total: 0 });
  assert.equal(store.reads, reads);
  assert.deepEqual(await ours.repository.migrateSession(lid, lid), { migrated: 0, skipped: 0, total: 1 });
  assert.deepEqual(await ours.repository.migrateSession(phone, phone), { migrated: 0, skipped: 0, total: 0 });
});

test('a session that nobody migrated is found where it was', async () => {
  const store = memoryStore();
  const ours = ourParty('1000@lid', { store });
  const stock = stockParty('4915100000000:3@s.whatsapp.net');
  await establish(stock, ours);
  const message = await encrypt(stock, ours, 'hi');
  await ours.mapping.storeLIDPNMappings([{ lid, pn: phone }]);
  const byLid = { ...stock, jid: '2000:3@lid' };
  assert.equal(await ours.repository.hasOpenSession('2000:3@lid'), true);
  assert.ok(store.keys.has('1/session/4915100000000.3'));
  assert.equal(await decrypt(ours, byLid, message), 'hi');
  assert.deepEqual(
    [...store.keys.keys()].filter((key) => /session|identity/.test(key)),
    ['1/session/2000_1.3', '1/identity-key/2000_1.3'],
  );
});

test('sessions under both addresses are merged: either stays readable', async () => {
  const store = memoryStore();
  const ours = ourParty('1000@lid', { store });
  const byPhone = stockParty('4915100000000@s.whatsapp.net');
  await establish(byPhone, ours);
  // The same device has opened a second session, under its LID.
  const early = await encrypt(byPhone, ours, 'on the first session');
  const byLid = { ...byPhone, jid: lid };
  await open(byPhone, ours);
  await decrypt(ours, byLid, await encrypt(byPhone, ours, 'on the second'));
  await ours.mapping.storeLIDPNMappings([{ lid, pn: phone }]);
  assert.deepEqual(await ours.repository.migrateSession(phone, lid), { migrated: 1, skipped: 0, total: 1 });
  assert.equal(await decrypt(ours, byLid, early), 'on the first session');
  assert.equal(await decrypt(byPhone, ours, await encrypt(ours, byLid, 'answer')), 'answer');
  assert.ok(!store.keys.has('1/session/4915100000000.0'));
});

test('a mapping that is learned while operations wait: none of them uses the former record', async () => {
  const store = memoryStore();
  const ours = ourParty('1000@lid', { store });
  const stock = stockParty('4915100000000@s.whatsapp.net');
  await establish(ours, stock);
  store.latency = 1;
  const sent = Array.from({ length: 5 }, () => encrypt(ours, stock, 'before'));
  const stored = ours.mapping.storeLIDPNMappings([{ lid, pn: phone }]);
  for (let i = 0; i < 5; i += 1) sent.push(encrypt(ours, stock, 'during'));
  const migrated = ours.repository.migrateSession(phone, lid);
  await stored;
  for (let i = 0; i < 5; i += 1) sent.push(encrypt(ours, { ...stock, jid: lid }, 'after'));
  for (const message of await Promise.all(sent)) await decrypt(stock, ours, message);
  await migrated;
  assert.equal(ours.locks.size, 0);
  assert.deepEqual(
    [...store.keys.keys()].filter((key) => key.includes('/session/')),
    ['1/session/2000_1.0'],
  );
});

test('a number that went to another person does not bring its former session along', async () => {
  const store = memoryStore();
  const ours = ourParty('1000@lid', { store });
  await ours.mapping.storeLIDPNMappings([{ lid, pn: phone }]);
  await ours.mapping.storeLIDPNMappings([{ lid: '3000@lid', pn: phone }]);
  const other = stockParty(phone);
  await establish(ours, other);
  assert.equal(await ours.repository.hasOpenSession(lid), false);
  assert.equal(await ours.repository.hasOpenSession('3000@lid'), true);
});

test('a thousand people in one stanza are looked up in turns with others', async () => {
  const store = memoryStore();
  const { readKeys } = store;
  store.readKeys = (...given) => {
    const end = performance.now() + 0.1;
    while (performance.now() < end);
    return readKeys(...given);
  };
  const { addressesOf } = mappingOver(store);
  using turns = watchTurns();
  for (let n = 0; n < 1_024; n += 1) await addressesOf(`${1_000_000 + n}@lid`);
  const ms = turns.longestMs();
  assert.ok(ms < 50, `${ms} ms in one turn`);
});
