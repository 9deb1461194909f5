/** What is quoted from the benchmarks is what they measured. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { bars, goals, hasFallen } from '../bench/bars.ts';
import { peerFigure, rowsOf } from '../bench/peers/figures.ts';
import { chartOf } from '../bench/support/chart.ts';
import { growthCharts } from '../bench/support/charts.ts';
import { namesIn, shown, tableOf, withQuotes, withTable } from '../bench/support/table.ts';

const root = join(import.meta.dirname, '..');
const results: Record<string, number | string> = JSON.parse(readFileSync(join(root, 'bench/results.json'), 'utf8'));
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root })];

describe('figures', () => {
  it('in the table are those of bench/results.json', () => {
    const page = readFileSync(join(root, 'docs/performance.md'), 'utf8');
    assert.equal(withTable(page, results), page);
    assert.ok(tableOf(results).includes('sendRatio1'));
  });

  it('that a page quotes are as they were measured', () => {
    const names = pages.flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      assert.equal(withQuotes(text, results), text, path);
      return namesIn(text);
    });
    assert.ok(names.length > 10);
    for (const name of names) assert.ok(name in results, `${name} is quoted, and has not been measured`);
    assert.equal(withQuotes('in 12,345.6<!-- list10Ms --> ms', { list10Ms: 0.5 }), 'in 0.5<!-- list10Ms --> ms');
  });

  it('of other services are those of bench/results.json', () => {
    const page = readFileSync(join(root, 'docs/performance.md'), 'utf8');
    const [, table = ''] = page.split(/<!-- (?:peers: written by bench:peers|end of peers) -->/);
    const [head = [], , ...rows] = table
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) =>
        line
          .split('|')
          .slice(2, -1)
          .map((cell) => cell.trim()),
      );
    const names = Object.keys(rowsOf(''));
    assert.equal(rows.length, names.length);
    for (const [at, row] of rows.entries())
      for (const [column, cell] of row.entries())
        assert.equal(cell, shown(results[peerFigure(head[column]!, names[at]!)]!), `${head[column]} ${names[at]}`);
  });

  it('have their charts where the page shows them', () => {
    const page = readFileSync(join(root, 'docs/performance.md'), 'utf8');
    const charts = [...page.matchAll(/\]\((images\/[\w-]+\.svg)\)/g)].map(([, path]) => path!);
    assert.ok(charts.length >= 5);
    for (const path of charts) assert.match(readFileSync(join(root, 'docs', path), 'utf8'), /^<svg /);
    const drawn = Object.entries(growthCharts(results));
    assert.ok(drawn.length >= 5);
    for (const [name, chart] of drawn)
      assert.equal(readFileSync(join(root, `docs/images/${name}.svg`), 'utf8'), chartOf(chart), name);
  });

  it('of many numbers of devices stand in one row', () => {
    const table = tableOf({ memory1Mb: 3, memory10Mb: 4, memory100Mb: 5, sendRatio1: 2, sendRatio20: 3 });
    assert.match(table, /\| 3 MB \| 4 MB \| 5 MB \| `memory…Mb` \|/);
    assert.match(table, /\| 3 × \| at least 2 × \| reached \| `sendRatio20` \|/);
    assert.doesNotMatch(table, /memory10Mb/);
  });

  it('stand in the table also where nobody says what they are, and every bar is told', () => {
    assert.match(tableOf({ newFigure: 1234 }), /\| `newFigure` \| 1,234 \|/);
    for (const name of Object.keys({ ...bars, ...goals }))
      assert.doesNotMatch(tableOf({ [name]: 1 }), /### More/, name);
  });

  it('have fallen only when they are a third behind', () => {
    const bar = { better: 'more', bar: 1.2, what: '' } as const;
    assert.equal(hasFallen(bar, 0.79), true);
    assert.equal(hasFallen(bar, 0.81), false);
    assert.equal(hasFallen({ better: 'less', bar: 1, what: '' }, 1.51), true);
    assert.equal(hasFallen({ better: 'less', bar: 1, what: '' }, 1.49), false);
  });
});
