/** No message key is used twice, whenever the process ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EncryptBatch } from '../../../src/whatsapp/signal/batches.ts';
import {
  counterOf,
  decrypt,
  encrypt,
  establish,
  memoryStore,
  type OurParty,
  ourParty,
  type Party,
  type Sealed,
  stockParty,
} from './support.ts';

const ourJid = '1000@lid';

const encryptBatchOf = ({ repository }: OurParty): EncryptBatch =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the support types it as Baileys' own
  Reflect.get(repository, 'encryptBatch') as EncryptBatch;

const encryptAll = async (ours: OurParty, to: Party, texts: readonly string[]): Promise<Sealed[]> => {
  const plaintexts = texts.map((text) => ({ jid: to.jid, plaintext: Buffer.from(text) }));
  const { encrypted } = await encryptBatchOf(ours)(plaintexts, { messages: [] }, false);
  return encrypted.map((one) => one!);
};

const scene = async () => {
  const store = memoryStore();
  const ours = ourParty(ourJid, { store });
  const ann = stockParty('2000:3@lid');
  await establish(ours, ann);
  store.commits.length = 0;
  return { store, ours, ann };
};

test('a session that is gone meanwhile is not brought back', async () => {
  const { ours, ann } = await scene();
  for (let n = 0; n < 3; n += 1) await encryptAll(ours, ann, ['text']);
  await ours.repository.deleteSession([ann.jid]);
  const { missing } = await encryptBatchOf(ours)([{ jid: ann.jid, plaintext: Buffer.from('x') }], {}, false);
  assert.deepEqual(missing, [ann.jid]);
  await ours.repository.injectE2ESession({ jid: ann.jid, session: await ann.bundle() });
  const [again] = await encryptAll(ours, ann, ['again']);
  assert.equal(again!.type, 'pkmsg');
  assert.equal(await decrypt(ann, ours, again!), 'again');
});

/** Whole numbers below a limit; the same ones from the same seed. */
const randomFrom = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

test('whatever comes in between, crashes among it, no key is used twice and all can be read', async () => {
  const random = randomFrom(7);
  const { store, ours, ann } = await scene();
  const counters = new Set<string>();
  let [now, sent, crashes] = [ours, 0, 0];
  const hear = async (sealed: Sealed, text: string): Promise<void> => {
    const counter = counterOf(sealed);
    assert.ok(!counters.has(counter), `the key of ${text} was used before`);
    counters.add(counter);
    assert.equal(await decrypt(ann, now, sealed), text);
    sent += 1;
  };
  for (let step = 0; step < 400; step += 1) {
    const what = random(100);
    if (what < 75) {
      const texts = Array.from({ length: random(4) === 0 ? 1 + random(6) : 1 }, (_, n) => `${step}.${n}`);
      for (const [n, sealed] of (await encryptAll(now, ann, texts)).entries()) await hear(sealed, texts[n]!);
    } else if (what < 85) {
      await hear(await encrypt(now, ann, `${step}`), `${step}`);
    } else if (what < 88) {
      assert.equal(await decrypt(now, ann, await encrypt(ann, now, `${step}`)), `${step}`);
    } else if (what < 93) {
      // Some get through to the store before it fails, and none of them leaves.
      store.failure = new Error('the disk is full');
      await assert.rejects(encryptAll(now, ann, ['lost']), /disk is full/);
      store.failure = null;
    } else {
      now = ourParty(ourJid, { store, creds: ours.creds });
      crashes += 1;
    }
  }
  assert.ok(sent > 250 && crashes > 10, `${sent} sent, ${crashes} crashes`);
});
