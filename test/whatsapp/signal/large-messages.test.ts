/** Large messages: decrypted in a thread, with the same outcome, while others go on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { largeBytes } from '../../../src/whatsapp/signal/large-messages.ts';
import { decrypt, encrypt, establish, memoryStore, open, ourParty, stockParty } from './support.ts';

const large = (first: string): string => first.padEnd(largeBytes * 8, '.');

/** Milliseconds of this thread's processor time that `work` takes. */
const ownMs = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};

test('large messages of a session: setup, answers, out of order, among small ones', async () => {
  const [ours, stock] = [ourParty('1000@lid'), stockParty('2000:3@lid')];
  await open(stock, ours);
  // The second carries the setup again, of a session that is there by then.
  const setups = [await encrypt(stock, ours, large('a')), await encrypt(stock, ours, large('b'))];
  for (const [index, sealed] of setups.entries()) {
    assert.equal(sealed.type, 'pkmsg');
    assert.equal(await decrypt(ours, stock, sealed), large('ab'[index]!));
  }
  assert.equal(await decrypt(stock, ours, await encrypt(ours, stock, large('c'))), large('c'));
  const sent = [];
  for (const text of ['d', large('e'), 'f', large('g')]) sent.push(await encrypt(stock, ours, text));
  for (const [index, text] of [
    [3, large('g')],
    [0, 'd'],
    [2, 'f'],
    [1, large('e')],
  ] as const)
    assert.equal(await decrypt(ours, stock, sent[index]!), text);
});

test('a large message that does not decrypt, or comes twice, leaves everything as it was', async () => {
  const store = memoryStore();
  const [ours, stock] = [ourParty('1000@lid', { store }), stockParty('2000@lid')];
  await establish(stock, ours);
  const sealed = await encrypt(stock, ours, large('x'));
  const forged = { ...sealed, ciphertext: Uint8Array.from(sealed.ciphertext) };
  forged.ciphertext[forged.ciphertext.length - 1]! ^= 1;
  const commits = store.commits.length;
  await assert.rejects(decrypt(ours, stock, forged), /MAC|mac|decrypt/);
  assert.equal(store.commits.length, commits);
  assert.equal(await decrypt(ours, stock, sealed), large('x'));
  store.inbox.clear();
  await assert.rejects(decrypt(ours, stock, sealed), /old counter|duplicate/i);
});

test('large messages of a group, with their order', async () => {
  const [ours, stock] = [ourParty('1000@lid'), stockParty('2000@lid')];
  const group = '120363000000000001@g.us';
  const say = (text: string) =>
    stock.repository.encryptGroupMessage({ group, meId: stock.jid, data: Buffer.from(text) });
  const hear = async (msg: Uint8Array) =>
    Buffer.from(await ours.repository.decryptGroupMessage({ group, authorJid: stock.jid, msg })).toString();
  const first = await say(large('a'));
  await ours.repository.processSenderKeyDistributionMessage({
    item: { groupId: group, axolotlSenderKeyDistributionMessage: first.senderKeyDistributionMessage },
    authorJid: stock.jid,
  });
  const second = await say(large('b'));
  const third = await say('c');
  assert.equal(await hear(second.ciphertext), large('b'));
  assert.equal(await hear(third.ciphertext), 'c');
  assert.equal(await hear(first.ciphertext), large('a'));
});

test('a large message takes less of this thread than as many bytes in small ones', async () => {
  const [ours, stock] = [ourParty('1000@lid'), stockParty('2000@lid')];
  await establish(stock, ours);
  await decrypt(ours, stock, await encrypt(stock, ours, large('the thread starts')));
  const bytes = 8_000_000;
  const few = largeBytes - 1_000;
  const small: Awaited<ReturnType<typeof encrypt>>[] = [];
  for (let sent = 0; sent < bytes; sent += few) small.push(await encrypt(stock, ours, '.'.repeat(few)));
  const sealed = await encrypt(stock, ours, '.'.repeat(bytes));
  const here = await ownMs(async () => {
    for (const each of small) await decrypt(ours, stock, each);
  });
  const there = await ownMs(() => decrypt(ours, stock, sealed));
  assert.ok(there < here / 2, `${there.toFixed(0)} of ${here.toFixed(0)} ms`);
});
