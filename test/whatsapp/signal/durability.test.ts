/** Guarantees that survive a crash, a redelivery, a failing store and two callers at once (docs/internals/durability.md, The contract). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionChanges } from '../../../src/domain/changes.ts';
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
const group = '77@g.us';

const scene = (extra: () => Omit<SessionChanges, 'inbox'> = () => ({})) => {
  const store = memoryStore();
  const told: string[] = [];
  const ours = ourParty(ourJid, {
    store,
    onPlaintext: ({ plaintext, jid, group: inGroup }) => {
      told.push(`${jid} ${inGroup ?? '-'} ${Buffer.from(plaintext).toString()}`);
      return extra();
    },
  });
  return { store, told, ours, stock: stockParty(theirJid) };
};

test('one decryption is one commit: ratchet, prekey, identity, inbox row and what the listener adds', async () => {
  const { store, ours, stock, told } = scene(() => ({
    keys: [{ type: 'x', id: 'y', value: Buffer.from('z') }],
    sent: 1,
  }));
  await open(stock, ours);
  const message = await encrypt(stock, ours, 'hi');
  store.commits.length = 0;
  await decrypt(ours, stock, message);
  assert.equal(store.commits.length, 1);
  const { keys, inbox, sent } = store.commits[0]!;
  assert.deepEqual(keys?.map(({ type, value }) => `${type} ${value === null ? 'gone' : 'set'}`).toSorted(), [
    'identity-key set',
    'pre-key gone',
    'session set',
    'x set',
  ]);
  assert.match(inbox![0]!.key, /^[0-9a-f]{64}$/);
  assert.equal(Buffer.from(inbox![0]!.plaintext).toString(), 'hi');
  assert.equal(sent, 1);
  assert.deepEqual(told, [`${theirJid} - hi`]);
  store.commits.length = 0;
  await encrypt(ours, stock, 'answer');
  assert.deepEqual(
    store.commits.map((commit) => commit.keys?.map(({ type }) => type)),
    [['session']],
  );
});

test('the listener sees the very buffer that was given', async () => {
  const seen: Uint8Array[] = [];
  const ours = ourParty(ourJid, {
    onPlaintext: ({ ciphertext }) => {
      seen.push(ciphertext);
      return {};
    },
  });
  const stock = stockParty(theirJid);
  await open(stock, ours);
  const { type, ciphertext } = await encrypt(stock, ours, 'hi');
  await ours.repository.decryptMessage({ jid: theirJid, type, ciphertext });
  assert.equal(seen[0], ciphertext);
});

test('a redelivery is answered from the inbox: no commit, nobody is told again', async () => {
  for (const preKey of [true, false]) {
    const { store, ours, stock, told } = scene();
    await open(stock, ours, { preKey });
    const first = await encrypt(stock, ours, 'first');
    await decrypt(ours, stock, first);
    await decrypt(stock, ours, await encrypt(ours, stock, 'answer'));
    const second = await encrypt(stock, ours, 'second');
    await decrypt(ours, stock, second);
    assert.deepEqual([first.type, second.type], ['pkmsg', 'msg']);
    const [keys, commits] = [new Map(store.keys), store.commits.length];
    for (const [message, text] of [
      [first, 'first'],
      [second, 'second'],
      [first, 'first'],
    ] as const) {
      assert.equal(await decrypt(ours, stock, message), text);
    }
    // Not even the loss of the session makes it new.
    await ours.repository.deleteSession([theirJid]);
    assert.equal(await decrypt(ours, stock, first), 'first');
    assert.equal(await decrypt(ours, stock, second), 'second');
    assert.equal(store.commits.length, commits + 1);
    store.keys.set('1/session/2000_1.3', keys.get('1/session/2000_1.3')!);
    assert.deepEqual(store.keys, keys);
    assert.equal(told.length, 2);
    assert.equal(await decrypt(ours, stock, await encrypt(stock, ours, 'third')), 'third');
  }
});

test('a group message redelivered is answered from the inbox', async () => {
  const { store, ours, stock, told } = scene();
  const { ciphertext, senderKeyDistributionMessage } = await stock.repository.encryptGroupMessage({
    group,
    meId: theirJid,
    data: Buffer.from('all'),
  });
  const item = { groupId: group, axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage };
  const read = async (): Promise<string> =>
    Buffer.from(await ours.repository.decryptGroupMessage({ group, authorJid: theirJid, msg: ciphertext })).toString();
  await ours.repository.processSenderKeyDistributionMessage({ item, authorJid: theirJid });
  assert.equal(await read(), 'all');
  const [keys, commits] = [new Map(store.keys), store.commits.length];
  assert.equal(await read(), 'all');
  assert.equal(store.commits.length, commits);
  // The stanza's other half comes again too, and must not wind the chain back.
  await ours.repository.processSenderKeyDistributionMessage({ item, authorJid: theirJid });
  assert.deepEqual(store.keys, keys);
  assert.equal(await read(), 'all');
  assert.deepEqual(told, [`${theirJid} ${group} all`]);
});

test('a commit that fails returns nothing, keeps nothing, and is reported before the caller hears of it', async () => {
  const { store, ours, stock, told } = scene();
  await open(stock, ours);
  const setup = await encrypt(stock, ours, 'setup');
  const before = new Map(store.keys);
  store.failure = new Error('disk full');
  await assert.rejects(decrypt(ours, stock, setup), (error) => {
    assert.deepEqual(ours.failures, [error]);
    return error === store.failure;
  });
  assert.deepEqual(store.keys, before);
  assert.equal(store.inbox.size, 0);
  store.failure = null;
  assert.equal(await decrypt(ours, stock, setup), 'setup');

  const sent = await encrypt(ours, stock, 'first');
  const plain = await encrypt(stock, ours, 'plain');
  const established = new Map(store.keys);
  store.failure = new Error('disk full');
  await assert.rejects(encrypt(ours, stock, 'never sent'), store.failure);
  await assert.rejects(decrypt(ours, stock, plain), store.failure);
  await assert.rejects(open(ours, stockParty(theirJid)), store.failure);
  await assert.rejects(ours.repository.deleteSession([theirJid]), store.failure);
  store.failure = null;
  assert.deepEqual(store.keys, established);
  const next = await encrypt(ours, stock, 'second');
  assert.notEqual(counterOf(next), counterOf(sent));
  assert.equal(await decrypt(stock, ours, sent), 'first');
  assert.equal(await decrypt(stock, ours, next), 'second');
  assert.equal(await decrypt(ours, stock, plain), 'plain');
  assert.equal(told.filter((line) => line.endsWith('plain')).length, 2);
  assert.equal(ours.locks.size, 0);
});

test('a listener that throws makes the decryption fail and changes nothing', async () => {
  let broken = true;
  const { store, ours, stock } = scene(() => {
    if (broken) throw new Error('listener');
    return {};
  });
  await open(stock, ours);
  const message = await encrypt(stock, ours, 'hi');
  const before = new Map(store.keys);
  await assert.rejects(decrypt(ours, stock, message), { message: 'listener' });
  assert.deepEqual(store.keys, before);
  broken = false;
  assert.equal(await decrypt(ours, stock, message), 'hi');
});

test('two-way traffic in one chat over a slow store: no counter twice, no lock left', async () => {
  const { store, ours, stock } = scene();
  await establish(stock, ours);
  store.latency = 1;
  const counters: string[] = [];
  const inbound: Promise<string>[] = [];
  const outbound: Promise<Sealed>[] = [];
  for (let i = 0; i < 60; i += 1) {
    const message = await encrypt(stock, ours, `in ${i}`);
    inbound.push(decrypt(ours, stock, message));
    outbound.push(encrypt(ours, stock, `out ${i}`));
    if (i % 7 === 0) {
      // A reply makes the stock side turn its ratchet, and ours after it.
      const reply = await outbound.at(-1)!;
      assert.equal(await decrypt(stock, ours, reply), `out ${i}`);
    }
  }
  assert.deepEqual(
    await Promise.all(inbound),
    Array.from({ length: 60 }, (_, i) => `in ${i}`),
  );
  for (const [i, message] of (await Promise.all(outbound)).entries()) {
    counters.push(counterOf(message));
    if (i % 7 !== 0) assert.equal(await decrypt(stock, ours, message), `out ${i}`);
  }
  assert.equal(new Set(counters).size, 60);
  assert.equal(ours.locks.size, 0);
});

test('one chat does not wait for another', async () => {
  const { store, ours, stock } = scene();
  const other = stockParty('3000@lid');
  await establish(stock, ours);
  await establish(other, ours);
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const commit = store.commit.bind(store);
  store.commit = async (deviceId, changes) => {
    if (changes.keys?.some(({ id }) => id === '2000_1.3')) await held;
    return commit(deviceId, changes);
  };
  const slow = encrypt(ours, stock, 'slow');
  assert.equal(await decrypt(other, ours, await encrypt(ours, other, 'fast')), 'fast');
  letGo();
  assert.equal(await decrypt(stock, ours, await slow), 'slow');
});

test("Baileys' own transactions neither delay our commits nor take them back", async () => {
  const { store, ours, stock } = scene();
  await establish(stock, ours);
  const sent: Sealed[] = [];
  const failed = ours.keys.transaction(async () => {
    await ours.keys.set({ 'sender-key-memory': { [group]: { [theirJid]: true } } });
    store.commits.length = 0;
    sent.push(await encrypt(ours, stock, 'inside'));
    assert.deepEqual(
      store.commits.map((commit) => commit.keys?.map(({ type }) => type)),
      [['session']],
    );
    throw new Error('the send failed');
  }, ours.jid);
  await assert.rejects(failed, { message: 'the send failed' });
  assert.ok(!store.keys.has(`1/sender-key-memory/${group}`));
  sent.push(await encrypt(ours, stock, 'outside'));
  assert.notEqual(counterOf(sent[0]!), counterOf(sent[1]!));
  assert.equal(await decrypt(stock, ours, sent[0]!), 'inside');
  assert.equal(await decrypt(stock, ours, sent[1]!), 'outside');
});

test('a device list that waits in a transaction of Baileys is seen by the migration', async () => {
  const { ours, store } = scene();
  const devices = [':3', ':9'].map((device) => stockParty(`4915100000000${device}@s.whatsapp.net`));
  for (const device of devices) await establish(ours, device);
  await ours.mapping.storeLIDPNMappings([{ lid: '2000@lid', pn: '4915100000000@s.whatsapp.net' }]);
  await ours.keys.transaction(async () => {
    await ours.keys.set({ 'device-list': { '4915100000000': ['3', '9'] } });
    assert.deepEqual(await ours.repository.migrateSession('4915100000000@s.whatsapp.net', '2000@lid'), {
      migrated: 2,
      skipped: 0,
      total: 2,
    });
  }, ours.jid);
  assert.ok(store.keys.has('1/session/2000_1.9'));
});
