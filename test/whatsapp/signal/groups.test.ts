/** Sender keys: group messages between ours and the repository that Baileys brings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupCounterOf, memoryStore, ourParty, type Party, stockParty } from './support.ts';

const group = '120363000000000001@g.us';

const say = (party: Party, text: string) =>
  party.repository.encryptGroupMessage({ group, meId: party.jid, data: Buffer.from(text) });

const hear = async (to: Party, from: Party, msg: Uint8Array, authorJid = from.jid): Promise<string> =>
  Buffer.from(await to.repository.decryptGroupMessage({ group, authorJid, msg: Buffer.from(msg) })).toString();

const introduce = (to: Party, from: Party, distribution: Uint8Array, authorJid = from.jid): Promise<void> =>
  to.repository.processSenderKeyDistributionMessage({
    item: { groupId: group, axolotlSenderKeyDistributionMessage: distribution },
    authorJid,
  });

test('group messages both ways, and out of order', async () => {
  const [ours, stock] = [ourParty('1000@lid'), stockParty('2000:3@lid')];
  const pairs: readonly (readonly [Party, Party])[] = [
    [ours, stock],
    [stock, ours],
  ];
  for (const [from, to] of pairs) {
    const first = await say(from, 'one');
    await introduce(to, from, first.senderKeyDistributionMessage);
    assert.equal(await hear(to, from, first.ciphertext), 'one');
    const sent: Uint8Array[] = [];
    for (let i = 0; i < 4; i += 1) sent.push((await say(from, `m${i}`)).ciphertext);
    // The stock repository cannot read what it skipped: it keeps those keys as JSON, and fails on reading them.
    for (const i of to === stock ? [0, 1, 2, 3] : [3, 0, 2, 1]) assert.equal(await hear(to, from, sent[i]!), `m${i}`);
  }
});

test('who joins later reads from the distribution on, not before', async () => {
  const [ours, stock] = [ourParty('1000@lid'), stockParty('2000@lid')];
  const before = await say(ours, 'before');
  const distribution = await ours.repository.getSenderKeyDistributionMessage({ group, meId: ours.jid });
  const after = await say(ours, 'after');
  await introduce(stock, ours, distribution);
  await assert.rejects(hear(stock, ours, before.ciphertext));
  assert.equal(await hear(stock, ours, after.ciphertext), 'after');
});

test('the first message of a sender key can be read with the distribution that came with it', async () => {
  const [ours, stock] = [ourParty('1000@lid'), stockParty('2000@lid')];
  for (const text of ['a', 'b', 'c']) {
    const { ciphertext, senderKeyDistributionMessage } = await say(ours, text);
    await introduce(stock, ours, senderKeyDistributionMessage);
    assert.equal(await hear(stock, ours, ciphertext), text);
  }
});

test('a sender key is known once it is made', async () => {
  const ours = ourParty('1000@lid');
  assert.equal(await ours.repository.hasSenderKey({ group, meId: ours.jid }), false);
  await say(ours, 'x');
  assert.equal(await ours.repository.hasSenderKey({ group, meId: ours.jid }), true);
  assert.equal(await ours.repository.hasSenderKey({ group: '9@g.us', meId: ours.jid }), false);
});

test('without the sender key, and with a forged signature, nothing is read and nothing changes', async () => {
  const store = memoryStore();
  const [ours, stock] = [ourParty('1000@lid', { store }), stockParty('2000@lid')];
  const { ciphertext, senderKeyDistributionMessage } = await say(stock, 'x');
  await assert.rejects(hear(ours, stock, ciphertext), /no sender key/);
  assert.equal(store.commits.length, 0);
  await introduce(ours, stock, senderKeyDistributionMessage);
  const forged = Buffer.from(ciphertext);
  forged[forged.length - 1]! ^= 1;
  const before = new Map(store.keys);
  await assert.rejects(hear(ours, stock, forged), /signature/);
  assert.deepEqual(store.keys, before);
  assert.equal(await hear(ours, stock, ciphertext), 'x');
});

test('an author known by phone number and LID has one sender key', async () => {
  const store = memoryStore();
  const [ours, stock] = [ourParty('1000@lid', { store }), stockParty('2000@lid')];
  const phone = '4915100000000@s.whatsapp.net';
  const first = await say(stock, 'one');
  await introduce(ours, stock, first.senderKeyDistributionMessage, phone);
  assert.equal(await hear(ours, stock, first.ciphertext, phone), 'one');
  await ours.mapping.storeLIDPNMappings([{ lid: '2000@lid', pn: phone }]);
  assert.equal(await hear(ours, stock, (await say(stock, 'two')).ciphertext, '2000@lid'), 'two');
  assert.equal(await hear(ours, stock, (await say(stock, 'three')).ciphertext, phone), 'three');
  assert.deepEqual(
    [...store.keys.keys()].filter((key) => key.includes('/sender-key/')),
    [`1/sender-key/${group}::2000_1::0`],
  );
});

test('many sends at once over a slow store never use an iteration twice', async () => {
  const store = memoryStore();
  const [ours, stock] = [ourParty('1000@lid', { store }), stockParty('2000@lid')];
  store.latency = 1;
  const sent = await Promise.all(Array.from({ length: 20 }, (_, i) => say(ours, `m${i}`)));
  assert.equal(new Set(sent.map(({ ciphertext }) => groupCounterOf(ciphertext))).size, 20);
  await introduce(stock, ours, sent[0]!.senderKeyDistributionMessage);
  for (const [i, { ciphertext }] of sent.entries()) assert.equal(await hear(stock, ours, ciphertext), `m${i}`);
  assert.equal(ours.locks.size, 0);
});
