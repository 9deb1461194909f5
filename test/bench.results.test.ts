/** Figures that the docs quote are those that the benchmarks measured. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { bars, goals, hasFallen } from '../bench/bars.ts';
import { catalogue } from '../bench/support/catalogue.ts';
import { namesIn, tableOf, withQuotes, withTable } from '../bench/support/table.ts';

const root = join(import.meta.dirname, '..');
const results: Record<string, number | string> = JSON.parse(readFileSync(join(root, 'bench/results.json'), 'utf8'));
const pages = ['README.md', ...globSync('docs/{,clients/,internals/}*.md', { cwd: root })];

describe('figures', () => {
  it('in the table are those of bench/results.json', () => {
    const page = readFileSync(join(root, 'docs/internals/performance.md'), 'utf8');
    assert.equal(withTable(page, results), page);
    assert.ok(tableOf(results).includes('sendRatio1'));
  });

  it('that a page quotes are as they were measured', () => {
    const names = pages.flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      assert.equal(withQuotes(text, results), text, path);
      return namesIn(text);
    });
    for (const name of names) assert.ok(name in results, `${name} is quoted, and has not been measured`);
    assert.equal(withQuotes('in 12,345.6<!-- list10Ms --> ms', { list10Ms: 0.5 }), 'in 0.5<!-- list10Ms --> ms');
  });

  it('stand in one row with those of bare sockets, with their bar, and say where it is missed', () => {
    const table = tableOf({ sendRatio1: 0.9, sendsPerSecond1: 1234, bareSendsPerSecond1: 700, memoryRatio: 0.4 });
    assert.match(table, /\| 0\.9 × \|  \| ≥ 1 ×, \*\*missed\*\* \| `sendRatio1` \|/);
    assert.match(table, /\| 1,234 \| 700 \|  \| `sendsPerSecond1` \|/);
    assert.match(table, /\| 0\.4 × \|  \| ≤ 0\.5 × \| `memoryRatio` \|/);
  });

  it('are all in the catalogue, as are the bars', () => {
    const beside = Object.values(catalogue).map(([, , name]) => name);
    const known = new Set([...Object.keys(catalogue), ...beside, 'measured', 'node', 'cores', 'load']);
    for (const name of [...Object.keys(results), ...Object.keys({ ...bars, ...goals })])
      assert.ok(known.has(name), name);
  });

  it('have fallen only at less than half of a bar, or at twice a limit', () => {
    const bar = { better: 'more', bar: 1.2 } as const;
    assert.equal(hasFallen(bar, 0.59), true);
    assert.equal(hasFallen(bar, 0.61), false);
    assert.equal(hasFallen({ better: 'less', bar: 1 }, 2.01), true);
    assert.equal(hasFallen({ better: 'less', bar: 1 }, 1.99), false);
  });
});
