/**
 * `npm run bench:all -- [--short] [--only sends,…]`: measures everything that README and docs claim, each figure beside what it is
 * compared with in the same run. Prints a table, and writes `bench/results.json` and the table in `docs/internals/performance.md`.
 * `--only` keeps the other figures. `--short` writes nothing, and exits with 3 when a ratio is below half of its bar (`bars.ts`) three
 * times in a row.
 */
import { readdir } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bars, goals, hasFallen } from './bars.ts';
import { type Measured, type Part, type Scale, rounded } from './support/measured.ts';
import { keep, readResults } from './support/record.ts';
import type { Results } from './support/table.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const here = import.meta.dirname;

const isMeasured = (exported: unknown): exported is { measure: Part['measure'] } =>
  typeof exported === 'object' && exported !== null && 'measure' in exported;

const partsOf = async (only: readonly string[] | undefined): Promise<Part[]> => {
  const parts: Part[] = [];
  for (const file of (await readdir(join(here, 'figures'))).sort()) {
    const name = file.replace(/\.ts$/, '');
    if (only !== undefined && !only.includes(name)) continue;
    const exported: unknown = await import(`./figures/${file}`);
    if (!isMeasured(exported)) throw new Error(`bench/figures/${file} exports no "measure"`);
    parts.push({ name, measure: exported.measure });
  }
  return parts;
};

const print = (figures: Measured['figures']): void => {
  for (const [name, value] of Object.entries(figures)) {
    const bar = bars[name] ?? goals[name];
    const wanted = bar === undefined ? '' : `   (${bar.better === 'more' ? 'at least' : 'at most'} ${bar.bar})`;
    console.log(`  ${name.padEnd(26)} ${String(value).padStart(10)}${wanted}`);
  }
};

const conditions = (): Results => ({
  measured: new Date().toISOString().slice(0, 10),
  node: process.version,
  cores: availableParallelism(),
});

/** Figures of `bench:steady`. */
const steadyOf = (results: Results): Record<string, number | string> =>
  Object.fromEntries(Object.entries(results).filter(([name]) => /^(steadyMb|(oneD|bareOneD)evice)/.test(name)));

/** Attempts for each part of a short run, as a busy machine may spoil one. */
const chances = 3;

/** Floors missed both by rates and by CPU time; on a busy machine the rates alone prove little. */
const fallenOf = ({ figures, byCpu = {} }: Measured): string[] =>
  Object.entries(figures).flatMap(([name, value]) => {
    const bar = bars[name];
    const cpu = byCpu[name];
    if (bar === undefined || !hasFallen(bar, value)) return [];
    if (cpu === undefined) return [`${name} is ${value}`];
    return hasFallen(bar, cpu) ? [`${name} is ${value}, by CPU time ${rounded(cpu)}`] : [];
  });

/** Measures a short part, repeating what seems to have fallen. Returns what fell each time. */
const measureShort = async ({ measure }: Part, scale: Scale): Promise<readonly string[]> => {
  for (let left = chances - 1; ; left -= 1) {
    const measured = await measure(scale);
    print(measured.figures);
    const fallen = fallenOf(measured);
    if (fallen.length === 0 || left === 0) return fallen;
    console.log(`  again, since ${fallen.join(' and ')}`);
  }
};

const run = async (): Promise<number> => {
  const { short, only } = values;
  const scale: Scale = { short };
  const before = await readResults();
  // A complete run keeps no older figures.
  const results: Record<string, number | string> = only === undefined && !short ? steadyOf(before) : { ...before };
  const fallen: string[] = [];
  let most = 0;
  for (const part of await partsOf(only?.split(','))) {
    const load = loadavg()[0]!;
    console.log(`${part.name} (load before ${load.toFixed(1)})`);
    if (short) {
      fallen.push(...(await measureShort(part, scale)));
      continue;
    }
    const { figures } = await part.measure(scale);
    print(figures);
    most = Math.max(most, load);
    await keep(Object.assign(results, conditions(), { load: rounded(most) }, figures));
  }
  for (const line of fallen) console.log(`FALLEN  ${line}, less than half of what it has to be`);
  return fallen.length > 0 ? 3 : 0;
};

process.exitCode = await run();
