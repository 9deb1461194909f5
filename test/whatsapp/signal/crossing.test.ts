/** Sessions that are set up again while messages of the former ones are under way: both ends go on reading each other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counterOf, decrypt, encrypt, establish, open, ourParty, type Party, type Sealed } from './support.ts';

interface Direction {
  readonly from: Party;
  readonly to: Party;
  /** Delivered in this order, as the network does. */
  readonly underWay: { readonly sealed: Sealed; readonly text: string }[];
}

const direction = (from: Party, to: Party): Direction => ({ from, to, underWay: [] });

const counters = new Set<string>();

const write = async ({ from, to, underWay }: Direction, text: string): Promise<void> => {
  const sealed = await encrypt(from, to, text);
  const counter = `${from.creds.registrationId} ${counterOf(sealed)}`;
  assert.ok(!counters.has(counter), 'a message key was used twice');
  counters.add(counter);
  underWay.push({ sealed, text });
};

const deliver = async ({ from, to, underWay }: Direction): Promise<void> => {
  const next = underWay.shift();
  if (next !== undefined) assert.equal(await decrypt(to, from, next.sealed), next.text);
};

test('a message of the former session comes when a new one has been opened: the new one is as it was', async () => {
  const [a, b] = [ourParty('1000@lid'), ourParty('2000@lid')];
  await establish(a, b);
  const [there, back] = [direction(a, b), direction(b, a)];
  await write(back, 'on the former session');
  await open(a, b);
  await write(there, 'on the new one');
  await deliver(there);
  await write(back, 'an answer on the new one');
  await deliver(back);
  await deliver(back);
  await write(there, 'and another');
  await deliver(there);
});

/** Mulberry32. */
const chance = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

test('two ends that write, open anew and receive late, in any order, always read each other', async () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const next = chance(seed);
    const [a, b] = [ourParty('1000@lid'), ourParty('2000@lid')];
    await establish(a, b);
    const ways = [direction(a, b), direction(b, a)] as const;
    for (let step = 0; step < 50; step += 1) {
      const way = ways[next() < 0.5 ? 0 : 1];
      const dice = next();
      if (dice < 0.5) await write(way, `${seed}.${step}`);
      else if (dice < 0.9) await deliver(way);
      else await open(way.from, way.to);
    }
    for (const way of ways) while (way.underWay.length > 0) await deliver(way);
  }
});
