/** Messages that are decrypted in one batch: one commit for all, and no trace of those that are not in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DecryptBatch } from '../../../src/whatsapp/signal/batches.ts';
import { decrypt, encrypt, establish, memoryStore, ourParty, type Sealed, stockParty } from './support.ts';

interface GroupSealed {
  readonly type: 'skmsg';
  readonly ciphertext: Uint8Array;
  readonly group: string;
}

const ourJid = '1000@lid';

const scene = async () => {
  const store = memoryStore();
  const ours = ourParty(ourJid, { store });
  const [ann, bob] = [stockParty('2000:3@lid'), stockParty('3000@lid')];
  for (const peer of [ann, bob]) await establish(peer, ours);
  store.commits.length = 0;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the support types it as Baileys' own
  const decryptBatch = Reflect.get(ours.repository, 'decryptBatch') as DecryptBatch;
  const told: string[] = [];
  const read = (messages: readonly (readonly [string, Sealed | GroupSealed])[], refused = ''): Promise<number> =>
    decryptBatch(
      messages.map(([jid, sealed]) => ({ jid, ...sealed, ciphertext: Buffer.from(sealed.ciphertext) })),
      (_, plaintext) => {
        const text = Buffer.from(plaintext).toString();
        if (text === refused) return null;
        told.push(text);
        return text.length > 100 ? { instead: Buffer.from('short') } : {};
      },
    );
  return { store, ours, ann, bob, read, told };
};

test('decrypt batch: one commit for the messages of several people, with a session and an inbox row for each', async () => {
  const { store, ours, ann, bob, read, told } = await scene();
  const messages = [
    [ann.jid, await encrypt(ann, ours, 'a1')],
    [bob.jid, await encrypt(bob, ours, 'b1')],
    [ann.jid, await encrypt(ann, ours, 'a2')],
  ] as const;
  assert.equal(await read(messages), 3);
  assert.deepEqual(told, ['a1', 'b1', 'a2']);
  assert.equal(store.commits.length, 1);
  assert.deepEqual(
    store.commits[0]!.inbox?.map(({ plaintext }) => Buffer.from(plaintext).toString()),
    told,
  );
  assert.deepEqual(
    store.commits[0]!.keys?.map(({ type }) => type),
    ['session', 'session'],
  );
  // And the ratchets go on from there, both ways.
  assert.equal(await decrypt(ours, ann, await encrypt(ann, ours, 'a3')), 'a3');
  assert.equal(await decrypt(bob, ours, await encrypt(ours, bob, 'back')), 'back');
});

test('decrypt batch: messages of groups and of persons go together; one whose sender key is missing ends it', async () => {
  const { store, ours, ann, bob, read, told } = await scene();
  const group = '120363000000000001@g.us';
  const seal = async (from: typeof ann, text: string) => {
    const { ciphertext, senderKeyDistributionMessage } = await from.repository.encryptGroupMessage({
      group,
      meId: from.jid,
      data: Buffer.from(text),
    });
    const item = { groupId: group, axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage };
    return { item, sealed: { type: 'skmsg', ciphertext, group } as const };
  };
  const first = await seal(ann, 'g1');
  await ours.repository.processSenderKeyDistributionMessage({ item: first.item, authorJid: ann.jid });
  store.commits.length = 0;
  const messages = [
    [ann.jid, first.sealed],
    [bob.jid, await encrypt(bob, ours, 'b1')],
    [ann.jid, (await seal(ann, 'g2')).sealed],
    [bob.jid, (await seal(bob, 'nobody has this key')).sealed],
    [ann.jid, (await seal(ann, 'g3')).sealed],
  ] as const;
  assert.equal(await read(messages), 3);
  assert.deepEqual(told, ['g1', 'b1', 'g2']);
  assert.deepEqual(
    store.commits.map(({ keys, inbox }) => [keys?.map(({ type }) => type).toSorted(), inbox?.length]),
    [[['sender-key', 'session'], 3]],
  );
});

test('decrypt batch: the inbox keeps what the reader gives in place of a long plaintext', async () => {
  const { store, ours, ann, read } = await scene();
  const long = await encrypt(ann, ours, 'a'.repeat(200));
  assert.equal(await read([[ann.jid, long]]), 1);
  assert.deepEqual(
    store.commits[0]!.inbox?.map(({ plaintext }) => Buffer.from(plaintext).toString()),
    ['short'],
  );
  assert.equal(await decrypt(ours, ann, long), 'short');
});

test('decrypt batch: a redelivery ends it, and what comes behind it is as if nothing had happened', async () => {
  const { store, ours, ann, bob, read, told } = await scene();
  const first = await encrypt(ann, ours, 'a1');
  await decrypt(ours, ann, first);
  store.commits.length = 0;
  const behind = await encrypt(ann, ours, 'a2');
  assert.equal(
    await read([
      [bob.jid, await encrypt(bob, ours, 'b1')],
      [ann.jid, first],
      [ann.jid, behind],
    ]),
    1,
  );
  assert.deepEqual([told, store.commits.length], [['b1'], 1]);
  // By itself it is answered from its inbox row.
  assert.equal(await decrypt(ours, ann, first), 'a1');
  assert.equal(await decrypt(ours, ann, behind), 'a2');
});

test('decrypt batch: what is for somebody else to act on is not read, and nor is what comes from a stranger', async () => {
  const { store, ours, ann, read, told } = await scene();
  const settings = await encrypt(ann, ours, 'settings');
  assert.equal(
    await read(
      [
        [ann.jid, await encrypt(ann, ours, 'a1')],
        [ann.jid, settings],
      ],
      'settings',
    ),
    1,
  );
  assert.equal(await decrypt(ours, ann, settings), 'settings');
  store.commits.length = 0;
  const stranger = stockParty('4000@lid');
  await stranger.repository.injectE2ESession({ jid: ours.jid, session: await ours.bundle() });
  const setup = await encrypt(stranger, ours, 'hello');
  assert.equal(setup.type, 'pkmsg');
  store.commits.length = 0;
  assert.equal(await read([[stranger.jid, setup]]), 0);
  assert.deepEqual([told, store.commits.length], [['a1'], 0]);
  // Once the session is there, messages that still carry its setup are read.
  assert.equal(await decrypt(ours, stranger, setup), 'hello');
  const again = await encrypt(stranger, ours, 'hello again');
  assert.equal(again.type, 'pkmsg');
  assert.equal(await read([[stranger.jid, again]]), 1);
});

test('decrypt batch: when the commit fails nothing is read, and everything can be read later', async () => {
  const { store, ours, ann, read } = await scene();
  const messages = [
    [ann.jid, await encrypt(ann, ours, 'a1')],
    [ann.jid, await encrypt(ann, ours, 'a2')],
  ] as const;
  store.failure = new Error('the disk is full');
  await assert.rejects(read(messages), /disk is full/);
  assert.equal(ours.failures.length, 1);
  store.failure = null;
  assert.equal(await read(messages), 2);
});
