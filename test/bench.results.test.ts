/** What is quoted from the benchmarks is what they measured. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { hasFallen } from '../bench/bars.ts';
import { tableOf, withTable } from '../bench/support/table.ts';

const root = join(import.meta.dirname, '..');
const results: Record<string, number | string> = JSON.parse(readFileSync(join(root, 'bench/results.json'), 'utf8'));
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root })];

describe('figures', () => {
  it('in the table are those of bench/results.json', () => {
    const page = readFileSync(join(root, 'docs/performance.md'), 'utf8');
    assert.equal(withTable(page, results), page);
    assert.ok(tableOf(results).includes('sendRatio1'));
  });

  it('that a page names are quoted as they were measured', () => {
    for (const path of pages) {
      const text = readFileSync(join(root, path), 'utf8');
      for (const [, value, name] of text.matchAll(/([\d.,]+)[^\d\n]{0,20}\(`(\w+)`\)/g)) {
        if (results[name!] === undefined) continue;
        assert.equal(value!.replaceAll(',', ''), String(results[name!]), `${path}: ${name}`);
      }
    }
  });

  it('have their charts where the page shows them', () => {
    const page = readFileSync(join(root, 'docs/performance.md'), 'utf8');
    const charts = [...page.matchAll(/\]\((images\/[\w-]+\.svg)\)/g)].map(([, path]) => path!);
    assert.ok(charts.length >= 5);
    for (const path of charts) assert.match(readFileSync(join(root, 'docs', path), 'utf8'), /^<svg /);
  });

  it('of many numbers of devices stand in one row', () => {
    const table = tableOf({ memory1Mb: 3, memory10Mb: 4, memory100Mb: 5, sendRatio1: 2, sendRatio20: 3 });
    assert.match(table, /\| `memory…Mb` \| 3 \| 4 \| 5 \|/);
    assert.match(table, /\| `sendRatio20` \| 3 \|/);
    assert.doesNotMatch(table, /memory10Mb/);
  });

  it('have fallen only when they are a third behind', () => {
    const bar = { better: 'more', bar: 3, reached: 1.2, what: '' } as const;
    assert.equal(hasFallen(bar, 0.79), true);
    assert.equal(hasFallen(bar, 0.81), false);
    assert.equal(hasFallen({ better: 'less', bar: 1, what: '' }, 1.51), true);
    assert.equal(hasFallen({ better: 'less', bar: 1, what: '' }, 1.49), false);
  });
});
