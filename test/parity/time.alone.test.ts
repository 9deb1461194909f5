/** Handset says what stock Baileys says while time passes, but for the differences in docs/internals/wire.md. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import './taken-time.ts';
import { startHandset, startStock } from './clients.ts';
import { jump, pass } from './clock.ts';
import { type Difference, differences } from './compare.ts';
import { entries } from './entries.ts';
import { judge } from './explain.ts';
import { aging } from './journeys/aging.ts';
import { isNoPing, ping } from './lines.ts';
import { Player } from './play.ts';

const found: Difference[] = [];
/** The lines of each scenario: of stock Baileys, then of Handset twice. */
const said = new Map<string, readonly (readonly string[])[]>();

before(async () => {
  await using stock = await Player.begin(startStock, 'lenient');
  await using lenient = await Player.begin(startHandset, 'lenient');
  await using strict = await Player.begin(startHandset, 'strict');
  const players = [stock, lenient, strict];
  for (const { passes = 0, jumps = 0, scenario } of aging) {
    await Promise.all(players.map((player) => player.prepare(scenario)));
    await jump(jumps);
    let passing: Promise<void> | null = null;
    const then = (): Promise<void> => (passing ??= pass(passes));
    const [lines, ...ours] = await Promise.all(players.map((player) => player.record(scenario, then)));
    for (const mine of ours) {
      found.push(...differences(scenario.name, [lines!.filter(isNoPing)], [mine.filter(isNoPing)]));
    }
    said.set(scenario.name, [lines!, ...ours]);
  }
});

test('every difference has an entry, and each that takes time a difference', () => {
  assert.deepEqual(judge(entries, found).unexplained, []);
  const late = entries.filter(({ takesTime }) => takesTime === true);
  assert.deepEqual(judge(late, found).unused, []);
});

test('an idle connection is asked twice a minute, and says nothing else', () => {
  for (const lines of said.get('ten idle minutes')!) {
    assert.deepEqual([...new Set(lines)], [ping]);
    assert.ok(Math.abs(lines.length - 20) <= 1, `${lines.length} in ten minutes`);
  }
});

test('Handset issues its privacy token again after a week, and no sooner', () => {
  for (const age of ['an hour', 'a day', 'eight days']) {
    const [, ...ours] = said.get(`text after ${age}`)!;
    const issues = ours.map((lines) => lines.filter((line) => line.includes('<tokens><token ')).length);
    assert.deepEqual(issues, age === 'eight days' ? [1, 1] : [0, 0], age);
  }
});
