/** Sessions that are stored ahead: few writes, and no message key twice, whenever the process ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SealTogether } from '../../../src/whatsapp/signal/outward.ts';
import {
  counterOf,
  decrypt,
  encrypt,
  establish,
  type MemoryStore,
  memoryStore,
  type OurParty,
  ourParty,
  type Party,
  type Sealed,
  stockParty,
} from './support.ts';

const ourJid = '1000@lid';

const sealerOf = ({ repository }: OurParty): SealTogether =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the support types it as Baileys' own
  Reflect.get(repository, 'sealTogether') as SealTogether;

const sealAll = async (ours: OurParty, to: Party, texts: readonly string[]): Promise<Sealed[]> => {
  const open = texts.map((text) => ({ jid: to.jid, plaintext: Buffer.from(text) }));
  const { sealed } = await sealerOf(ours)(open, { messages: [] }, false);
  return sealed.map((one) => one!);
};

const sessionWrites = ({ commits }: MemoryStore): number =>
  commits.filter(({ keys }) => keys?.some(({ type }) => type === 'session')).length;

const scene = async () => {
  const store = memoryStore();
  const ours = ourParty(ourJid, { store });
  const ann = stockParty('2000:3@lid');
  await establish(ours, ann);
  store.commits.length = 0;
  return { store, ours, ann };
};

test('reserves: of messages in a row few have their session written, and each is committed by itself', async () => {
  const { store, ours, ann } = await scene();
  for (let n = 0; n < 60; n += 1) {
    const [sealed] = await sealAll(ours, ann, [`text ${n}`]);
    assert.equal(await decrypt(ann, ours, sealed!), `text ${n}`);
    assert.equal(store.commits.length, n + 1);
  }
  // Behind the first, the second (4 ahead), the seventh (20), the 28th (32).
  assert.equal(sessionWrites(store), 4);
});

test('reserves: an answer in between is stored at once, with the chain where it is', async () => {
  const { store, ours, ann } = await scene();
  for (let n = 0; n < 5; n += 1) {
    await decrypt(ann, ours, (await sealAll(ours, ann, ['question']))[0]!);
    await decrypt(ours, ann, await encrypt(ann, ours, 'answer'));
  }
  assert.equal(sessionWrites(store), 10);
});

test('reserves: a session that is gone meanwhile is not brought back', async () => {
  const { ours, ann } = await scene();
  for (let n = 0; n < 3; n += 1) await sealAll(ours, ann, ['text']);
  await ours.repository.deleteSession([ann.jid]);
  const { missing } = await sealerOf(ours)([{ jid: ann.jid, plaintext: Buffer.from('x') }], {}, false);
  assert.deepEqual(missing, [ann.jid]);
  await ours.repository.injectE2ESession({ jid: ann.jid, session: await ann.bundle() });
  const [again] = await sealAll(ours, ann, ['again']);
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

test('reserves: whatever comes in between, crashes among it, no key is used twice and all can be read', async () => {
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
      for (const [n, sealed] of (await sealAll(now, ann, texts)).entries()) await hear(sealed, texts[n]!);
    } else if (what < 85) {
      await hear(await encrypt(now, ann, `${step}`), `${step}`);
    } else if (what < 88) {
      assert.equal(await decrypt(now, ann, await encrypt(ann, now, `${step}`)), `${step}`);
    } else if (what < 93) {
      // Some get through to the store before it fails, and none of them leaves.
      store.failure = new Error('the disk is full');
      await assert.rejects(sealAll(now, ann, ['lost']), /disk is full/);
      store.failure = null;
    } else {
      now = ourParty(ourJid, { store, creds: ours.creds });
      crashes += 1;
    }
  }
  assert.ok(sent > 250 && crashes > 10, `${sent} sent, ${crashes} crashes`);
  assert.ok(sessionWrites(store) < 0.75 * sent, `${sessionWrites(store)} written`);
});
