/** Handset sends what stock Baileys sends, but for the differences in docs/wire.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { startHandset, startStock, stockTurn } from './clients.ts';
import { type Difference, differences } from './compare.ts';
import { entries, explained } from './entries.ts';
import { play } from './play.ts';
import { journeys } from './scenarios.ts';

const found: Difference[] = [];

before(async () => {
  const ours = journeys.map((journey) =>
    Promise.all([play(journey, startHandset, 'lenient'), play(journey, startHandset, 'strict')]),
  );
  for (const [index, journey] of journeys.entries()) {
    const stock = await stockTurn.runExclusive(() => play(journey, startStock, 'lenient'));
    const both = await ours[index]!;
    for (const { name } of journey.scenarios) {
      for (const lines of both) found.push(...differences(name, [stock.get(name)!], [lines.get(name)!]));
    }
  }
});

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
