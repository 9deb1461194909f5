/** Pairwise sessions: ours on one side, the repository that Baileys brings on the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, sessionId } from '../../../src/whatsapp/signal/signal-records.ts';
import {
  counterOf,
  decrypt,
  encrypt,
  establish,
  memoryStore,
  open,
  ourParty,
  type Sealed,
  stockParty,
} from './support.ts';

const ourJid = '1000@lid';
const theirJid = '2000:3@lid';

const pair = () => {
  const store = memoryStore();
  return { store, ours: ourParty(ourJid, { store }), stock: stockParty(theirJid) };
};

test('we open a session, they answer', async () => {
  const { ours, stock } = pair();
  await open(ours, stock);
  const first = await encrypt(ours, stock, 'one');
  const second = await encrypt(ours, stock, 'two');
  assert.deepEqual([first.type, second.type], ['pkmsg', 'pkmsg']);
  assert.equal(await decrypt(stock, ours, first), 'one');
  assert.equal(await decrypt(stock, ours, second), 'two');
  const answer = await encrypt(stock, ours, 'three');
  assert.equal(answer.type, 'msg');
  assert.equal(await decrypt(ours, stock, answer), 'three');
  assert.equal((await encrypt(ours, stock, 'four')).type, 'msg');
});

test('they open a session, we answer, and the prekey is used up', async () => {
  const { ours, stock, store } = pair();
  await open(stock, ours);
  assert.ok(store.keys.has('1/pre-key/1'));
  const first = await encrypt(stock, ours, 'one');
  assert.equal(first.type, 'pkmsg');
  assert.equal(await decrypt(ours, stock, first), 'one');
  assert.ok(!store.keys.has('1/pre-key/1'));
  const answer = await encrypt(ours, stock, 'two');
  assert.equal(answer.type, 'msg');
  assert.equal(await decrypt(stock, ours, answer), 'two');
});

test('a bundle without a one-time prekey is enough, both ways', async () => {
  for (const direction of ['out', 'in']) {
    const { ours, stock } = pair();
    const [from, to] = direction === 'out' ? [ours, stock] : [stock, ours];
    await open(from, to, { preKey: false });
    assert.equal(await decrypt(to, from, await encrypt(from, to, 'one')), 'one');
    assert.equal(await decrypt(from, to, await encrypt(to, from, 'two')), 'two');
  }
});

test('a bundle with a wrong signature is refused and changes nothing', async () => {
  const { ours, stock, store } = pair();
  const bundle = await stock.bundle();
  bundle.signedPreKey.signature = Buffer.alloc(64, 7);
  await assert.rejects(ours.repository.injectE2ESession({ jid: theirJid, session: bundle }), /signature/);
  assert.equal(store.keys.size, 0);
});

test('a long ping-pong, bursts in both directions', async () => {
  const { ours, stock } = pair();
  await establish(stock, ours);
  const seen = new Set<string>();
  for (let round = 0; round < 40; round += 1) {
    const [from, to] = round % 2 === 0 ? [ours, stock] : [stock, ours];
    for (let burst = 0; burst <= round % 4; burst += 1) {
      const message = await encrypt(from, to, `message ${round}.${burst}`);
      assert.ok(!seen.has(counterOf(message)));
      seen.add(counterOf(message));
      assert.equal(await decrypt(to, from, message), `message ${round}.${burst}`);
    }
  }
  assert.equal(seen.size, 100);
});

test('messages out of order, skipped and over ratchet steps', async () => {
  const { ours, stock } = pair();
  await establish(stock, ours);
  const early: Sealed[] = [];
  for (let i = 0; i < 20; i += 1) early.push(await encrypt(stock, ours, `early ${i}`));
  assert.equal(await decrypt(ours, stock, early[15]!), 'early 15');
  // Both sides take a ratchet step while the others are still under way.
  await decrypt(stock, ours, await encrypt(ours, stock, 'step'));
  await decrypt(ours, stock, await encrypt(stock, ours, 'step back'));
  for (const i of [3, 19, 0, 14, 7]) assert.equal(await decrypt(ours, stock, early[i]!), `early ${i}`);
});

test('crossing setups: both open a session at once, and both stay understood', async () => {
  const { ours, stock } = pair();
  await open(ours, stock);
  await open(stock, ours);
  const mine = await encrypt(ours, stock, 'mine');
  const theirs = await encrypt(stock, ours, 'theirs');
  assert.equal(await decrypt(stock, ours, mine), 'mine');
  assert.equal(await decrypt(ours, stock, theirs), 'theirs');
  for (let i = 0; i < 4; i += 1) {
    assert.equal(await decrypt(ours, stock, await encrypt(stock, ours, `a${i}`)), `a${i}`);
    assert.equal(await decrypt(stock, ours, await encrypt(ours, stock, `b${i}`)), `b${i}`);
  }
});

test('a session set up again: what was sent on the former one is still read', async () => {
  const { ours, stock } = pair();
  await establish(stock, ours);
  const late = await encrypt(stock, ours, 'late');
  await open(stock, ours);
  assert.equal(await decrypt(ours, stock, await encrypt(stock, ours, 'anew')), 'anew');
  assert.equal(await decrypt(ours, stock, late), 'late');
  await open(ours, stock);
  assert.equal(await decrypt(stock, ours, await encrypt(ours, stock, 'and again')), 'and again');
});

test('a reinstalled peer: a message with a new identity replaces session and identity', async () => {
  const { ours, stock, store } = pair();
  await establish(stock, ours);
  const identity = store.keys.get('1/identity-key/2000_1.3');
  const reinstalled = stockParty(theirJid);
  await open(reinstalled, ours);
  assert.equal(await decrypt(ours, reinstalled, await encrypt(reinstalled, ours, 'new phone')), 'new phone');
  assert.notDeepEqual(store.keys.get('1/identity-key/2000_1.3'), identity);
  assert.equal(await decrypt(reinstalled, ours, await encrypt(ours, reinstalled, 'hello')), 'hello');
  const former = await encrypt(stock, ours, 'from the former phone');
  await assert.rejects(decrypt(ours, stock, former));
});

test('a reinstalled peer: a bundle with a new identity replaces session and identity', async () => {
  const { ours, stock, store } = pair();
  await establish(stock, ours);
  const reinstalled = stockParty(theirJid);
  await open(ours, reinstalled);
  assert.deepEqual(
    store.keys.get('1/identity-key/2000_1.3')?.subarray(1),
    new Uint8Array(reinstalled.creds.signedIdentityKey.public),
  );
  assert.equal(await decrypt(reinstalled, ours, await encrypt(ours, reinstalled, 'hello')), 'hello');
});

test('a message that does not decrypt leaves everything as it was', async () => {
  const { ours, stock, store } = pair();
  await establish(stock, ours);
  const message = await encrypt(stock, ours, 'good');
  const before = new Map(store.keys);
  const commits = store.commits.length;
  for (const at of [message.ciphertext.length - 1, message.ciphertext.length - 12, 20]) {
    const broken = Buffer.from(message.ciphertext);
    broken[at]! ^= 1;
    await assert.rejects(decrypt(ours, stock, { type: 'msg', ciphertext: broken }));
  }
  const setup = await encrypt(stockParty(theirJid), ours, 'x').catch(() => null);
  assert.equal(setup, null);
  assert.deepEqual(store.keys, before);
  assert.equal(store.commits.length, commits);
  assert.equal(await decrypt(ours, stock, message), 'good');
});

test('a forged setup message with another identity does not end the session', async () => {
  const { ours, stock, store } = pair();
  await establish(stock, ours);
  const forger = stockParty(theirJid);
  await open(forger, ours);
  const forged = Buffer.from((await encrypt(forger, ours, 'evil')).ciphertext);
  forged[forged.length - 1]! ^= 1;
  const before = new Map(store.keys);
  await assert.rejects(decrypt(ours, stock, { type: 'pkmsg', ciphertext: forged }));
  assert.deepEqual(store.keys, before);
  assert.equal(await decrypt(ours, stock, await encrypt(stock, ours, 'still here')), 'still here');
});

test('without a session there is no encryption, and the error names nobody', async () => {
  const { ours, stock } = pair();
  await assert.rejects(encrypt(ours, stock, 'x'), { message: 'No session record' });
  await establish(ours, stock);
  await ours.repository.deleteSession([theirJid]);
  await assert.rejects(decrypt(ours, stock, await encrypt(stock, ours, 'x')), { message: 'No session record' });
});

test('a session is open from its begin to its deletion', async () => {
  const { ours, stock } = pair();
  assert.equal(await ours.repository.hasOpenSession(theirJid), false);
  await open(ours, stock);
  await decrypt(stock, ours, await encrypt(ours, stock, 'x'));
  assert.equal(await ours.repository.hasOpenSession(theirJid), true);
  await ours.repository.deleteSession([theirJid]);
  assert.equal(await ours.repository.hasOpenSession(theirJid), false);
});

test('addresses are spelled as the stock repository spells them', () => {
  const { jidToSignalProtocolAddress: spelled } = stockParty(theirJid).repository;
  for (const jid of [
    '1@s.whatsapp.net',
    '1:7@s.whatsapp.net',
    '1@lid',
    '1:7@lid',
    '1:99@hosted',
    '1:99@hosted.lid',
    '1_5:2@s.whatsapp.net',
    '1@c.us',
  ]) {
    assert.equal(sessionId(addressOf(jid)), spelled(jid), jid);
  }
  for (const jid of ['1:99@s.whatsapp.net', '@g.us', 'nobody']) {
    assert.throws(() => sessionId(addressOf(jid)), jid);
  }
});
