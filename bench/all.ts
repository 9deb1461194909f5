/**
 * `npm run bench:all -- [--short] [--only sends,…] [--profile FOLDER]`: measures everything that README and docs claim, each part
 * with what it is compared to in the same run. Prints a table, writes `bench/results.json`, the charts in `docs/images` and the table
 * in `docs/performance.md`.
 * `--only` keeps the other figures as they are. `--short` writes nothing, and exits with 1 when a ratio has fallen by more
 * than a third (`bars.ts`).
 */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bars, hasFallen } from './bars.ts';
import { chartOf } from './support/chart.ts';
import type { Growth, Measured, Part, Scale } from './support/measured.ts';
import { type Results, withTable } from './support/table.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
});
const here = import.meta.dirname;
const resultsPath = join(here, 'results.json');
const pagePath = join(here, '..', 'docs', 'performance.md');
const chartsFolder = join(here, '..', 'docs', 'images');

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

const readResults = async (): Promise<Results> => {
  try {
    return JSON.parse(await readFile(resultsPath, 'utf8')) as Results;
  } catch {
    return {};
  }
};

const print = (figures: Measured['figures']): void => {
  for (const [name, value] of Object.entries(figures)) {
    const bar = bars[name];
    const wanted =
      bar === undefined ? '' : `   (${bar.better === 'more' ? 'at least' : 'at most'} ${bar.bar}: ${bar.what})`;
    console.log(`  ${name.padEnd(26)} ${String(value).padStart(10)}${wanted}`);
  }
};

const draw = async (growth: Readonly<Record<string, Growth>>): Promise<void> => {
  await mkdir(chartsFolder, { recursive: true });
  for (const [name, chart] of Object.entries(growth))
    await writeFile(join(chartsFolder, `${name}.svg`), chartOf(chart));
};

/** Where they were measured; the load is that of the machine before the last part. */
const conditions = (load: number): Results => ({
  measured: new Date().toISOString().slice(0, 10),
  node: process.version,
  cores: availableParallelism(),
  loadBefore: Number(load.toFixed(1)),
});

const keep = async (results: Results): Promise<void> => {
  await writeFile(resultsPath, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(pagePath, withTable(await readFile(pagePath, 'utf8'), results));
};

const run = async (): Promise<number> => {
  const scale: Scale = { short: values.short, profile: values.profile ?? null };
  if (scale.profile !== null) await mkdir(scale.profile, { recursive: true });
  const results: Record<string, number | string> = { ...(await readResults()) };
  const fallen: string[] = [];
  for (const { name, measure } of await partsOf(values.only?.split(','))) {
    const before = loadavg()[0]!;
    console.log(`${name} (load before ${before.toFixed(1)})`);
    const { figures, growth = {} } = await measure(scale);
    print(figures);
    for (const [figure, value] of Object.entries(figures)) {
      const bar = bars[figure];
      if (bar !== undefined && hasFallen(bar, value)) fallen.push(`${figure} is ${value}`);
    }
    if (scale.short) continue;
    Object.assign(results, figures, conditions(before));
    await keep(results);
    await draw(growth);
  }
  for (const line of fallen) console.log(`FALLEN  ${line}, more than a third behind what it has to be`);
  return scale.short && fallen.length > 0 ? 1 : 0;
};

process.exitCode = await run();
