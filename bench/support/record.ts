/** Where figures are kept: `bench/results.json`, the table in `docs/performance.md`, and the charts in `docs/images`. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chartOf } from './chart.ts';
import { growthCharts } from './charts.ts';
import type { Growth } from './measured.ts';
import { type Results, withPart, withQuotes, withTable } from './table.ts';

const root = join(import.meta.dirname, '..', '..');
const resultsPath = join(root, 'bench', 'results.json');
const pagePath = join(root, 'docs', 'performance.md');
const chartsFolder = join(root, 'docs', 'images');

export const readResults = async (): Promise<Results> => {
  try {
    return JSON.parse(await readFile(resultsPath, 'utf8')) as Results;
  } catch {
    return {};
  }
};

/** By the name of the chart's file. */
export const draw = async (growth: Readonly<Record<string, Growth>>): Promise<void> => {
  await mkdir(chartsFolder, { recursive: true });
  for (const [name, chart] of Object.entries(growth))
    await writeFile(join(chartsFolder, `${name}.svg`), chartOf(chart));
};

const pages = async (): Promise<string[]> => [
  join(root, 'README.md'),
  ...(await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => join(root, 'docs', name)),
];

/** In the file, in the tables and charts, and wherever a page quotes one of them. */
export const keep = async (results: Results): Promise<void> => {
  await writeFile(resultsPath, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(pagePath, withTable(await readFile(pagePath, 'utf8'), results));
  for (const path of await pages()) {
    const page = await readFile(path, 'utf8');
    const quoting = withQuotes(page, results);
    if (quoting !== page) await writeFile(path, quoting);
  }
  await draw(growthCharts(results));
};

/** Beside what other commands have measured. */
export const keepMore = async (figures: Results): Promise<void> => keep({ ...(await readResults()), ...figures });

/** Of other services, with a table in its own place of the page; those of an older comparison go. */
export const keepPeers = async (figures: Results, table: string): Promise<void> => {
  const others = Object.entries(await readResults()).filter(([name]) => !name.startsWith('peer'));
  await keep({ ...Object.fromEntries(others), ...figures });
  const place = ['<!-- peers: written by bench:peers -->', '<!-- end of peers -->'] as const;
  await writeFile(pagePath, withPart(await readFile(pagePath, 'utf8'), place, table));
};
