/** Saves figures: `bench/results.json`, the table in `docs/internals/performance.md`, and quotes in pages. */
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Results, withQuotes, withTable } from './table.ts';

const root = join(import.meta.dirname, '..', '..');
const resultsPath = join(root, 'bench', 'results.json');
const pagePath = join(root, 'docs', 'internals', 'performance.md');

export const readResults = async (): Promise<Results> => {
  try {
    return JSON.parse(await readFile(resultsPath, 'utf8')) as Results;
  } catch {
    return {};
  }
};

const pages = ['README.md', ...globSync('docs/{,clients/,internals/}*.md', { cwd: root })].map((page) =>
  join(root, page),
);

/** Updates the file, the table, and every page that quotes a figure. */
export const keep = async (results: Results): Promise<void> => {
  await writeFile(resultsPath, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(pagePath, withTable(await readFile(pagePath, 'utf8'), results));
  for (const path of pages) {
    const page = await readFile(path, 'utf8');
    const quoting = withQuotes(page, results);
    if (quoting !== page) await writeFile(path, quoting);
  }
};

/** Keeps figures of other commands. */
export const keepMore = async (figures: Results): Promise<void> => keep({ ...(await readResults()), ...figures });
