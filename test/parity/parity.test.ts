/** Handset sends what stock Baileys sends, but for the differences in docs/wire.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { startHandset, startStock } from './clients.ts';
import { type Difference, differences } from './compare.ts';
import { entries, explained } from './entries.ts';
import { play } from './play.ts';
import type { Journey } from './scenarios.ts';
import { conversation } from './journeys/conversation.ts';
import { lid } from './journeys/lid.ts';
import { online } from './journeys/online.ts';
import { troubles } from './journeys/troubles.ts';

const journeys = [conversation, troubles, lid, online];

const found: Difference[] = [];

const compare = async (journey: Journey): Promise<void> => {
  const [stock, ...both] = await Promise.all([
    play(journey, startStock, journey.stock ?? 'lenient'),
    play(journey, startHandset, 'lenient'),
    play(journey, startHandset, 'strict'),
  ]);
  for (const { name } of journey.scenarios) {
    for (const lines of both) found.push(...differences(name, [stock.get(name)!], [lines.get(name)!]));
  }
};

before(() => Promise.all(journeys.map(compare)));

test('every difference has an entry', () => {
  const unexplained = found.filter((difference) => explained(difference).length === 0);
  assert.deepEqual([...new Set(unexplained.map(({ scenario, text }) => `${scenario}: ${text}`))], []);
});

/** Which of two stanzas comes first depends on timing. */
const isOrder = (pattern: string): boolean => pattern.includes(' < ');

test('every entry has a difference', () => {
  const used = new Set(found.flatMap(explained).map(({ id, pattern }) => `${id}: ${pattern}`));
  const unused = entries.flatMap(({ id, patterns }) =>
    patterns
      .filter((pattern) => !isOrder(pattern))
      .map((pattern) => `${id}: ${pattern}`)
      .filter((name) => !used.has(name)),
  );
  assert.deepEqual(unused, []);
});

test('docs/wire.md has a row for every entry, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/wire.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, id]) => id);
  assert.deepEqual(new Set(rows), new Set(entries.map(({ id }) => id)));
});
