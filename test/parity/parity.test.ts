/** Handset sends what stock Baileys sends, but for the differences in docs/internals/wire.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import baseline from '../../src/cli/commands/capture-baseline.json' with { type: 'json' };
import { startHandset, startStock } from './clients.ts';
import { type Difference, differences } from './compare.ts';
import { entries } from './entries.ts';
import { judge } from './explain.ts';
import { journeys } from './journeys/all.ts';
import { isNoPing } from './lines.ts';
import { play } from './play.ts';
import type { Journey } from './scenarios.ts';

const found: Difference[] = [];
const shapes = new Set<string>();

const compare = async (journey: Journey): Promise<void> => {
  const [stock, ...both] = await Promise.all([
    play(journey, startStock, journey.stock ?? 'lenient'),
    play(journey, startHandset, 'lenient'),
    play(journey, startHandset, 'strict'),
  ]);
  for (const played of both) for (const shape of played.shapes) shapes.add(shape);
  for (const { name } of journey.scenarios) {
    const runs = [stock, ...both].map(({ lines }) => lines.get(name)!.filter(isNoPing));
    for (const ours of runs.slice(1)) found.push(...differences(name, [runs[0]!], [ours]));
  }
};

/** The longest one beside the others. */
before(async () => {
  const [longest, ...others] = journeys;
  const comparing = compare(longest!);
  for (const journey of others) await compare(journey);
  await comparing;
});

test('every difference has an entry, and every entry a difference', () => {
  const now = entries.filter(({ takesTime }) => takesTime !== true);
  assert.deepEqual(judge(now, found), { unexplained: [], unused: [] });
});

test('docs/internals/wire.md has a row for every entry, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/internals/wire.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, id]) => id);
  assert.deepEqual(new Set(rows), new Set(entries.map(({ id }) => id)));
});

test('the baseline of captures has every shape (if not: npm run capture:baseline)', () => {
  const known = new Set<string>(baseline);
  assert.deepEqual(
    [...shapes].filter((shape) => !known.has(shape)),
    [],
  );
});
