/** The people of a chaos run: their actions must tell one event from another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { People } from './chaos/people.ts';
import type { Random } from './support/random.ts';
import { Sends } from './chaos/sends.ts';
import { Wanted } from './support/wanted.ts';
import type { World } from './chaos/world.ts';

test(
  'chaos: two who act at the same time never change the same message into the same text',
  { timeout: 20_000 },
  async () => {
    const texts: string[] = [];
    const both = Promise.withResolvers<void>();
    const account = {
      number: '491551',
      jid: '491551@s.whatsapp.net',
      lid: '1@lid',
      device: 1,
      secret: '',
      silent: false,
    };
    const person = {
      number: '491552',
      jid: '491552@s.whatsapp.net',
      lid: '2@lid',
      device: null,
      secret: '',
      silent: false,
    };
    const phones = {
      write: async (_number: string, { text }: { text: string }) => [text],
      // Neither is answered before both have asked.
      async request(_method: string, _path: string, { text }: { text: string }) {
        texts.push(text);
        if (texts.length === 2) both.resolve();
        await both.promise;
      },
    };
    const world = { linked: [account], others: [person], groups: [], phones } as unknown as World;
    // One message, and edits from then on.
    const dice = [0.1];
    const random: Random = {
      next: () => dice.shift() ?? 0.8,
      between: () => 0,
      pick: (list) => list[0]!,
      chance: () => false,
      fork: () => random,
    };
    const people = new People(world, new Wanted(), new Sends(world, random), random);
    const busy = [people.run(0), people.run(0)];
    await both.promise;
    people.stop();
    await Promise.all(busy);
    assert.equal(new Set(texts).size, texts.length, texts.join('; '));
  },
);
