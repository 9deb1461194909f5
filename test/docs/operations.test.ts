/** Names in docs/operations.md and SECURITY.md exist: commands, settings, metrics, log lines, and the tests that prove a promise. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commands } from '../../src/cli/commands.ts';

const root = join(import.meta.dirname, '../..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const operations = textOf('docs/operations.md');
const security = `${textOf('SECURITY.md')}\n${textOf('docs/internals/threat-model.md')}`;
const sources = globSync('src/**/*.ts', { cwd: root })
  .map((path) => textOf(path))
  .join('\n');

test('every command that is called exists', () => {
  const called = [...operations.matchAll(/(?:^|[`|] ?|exec handset )handset ([a-z][\w -]*)/gm)].map(
    ([, words]) => words!,
  );
  assert.ok(called.length > 15);
  const known = commands.map(({ words }) => words);
  for (const words of called) {
    const found = known.some((name) => words === name || words.startsWith(`${name} `));
    assert.ok(found, `handset ${words}`);
  }
});

test('every setting and every metric that is named exists', () => {
  const settings = textOf('docs/configuration.md');
  for (const name of `${operations}${security}`.match(/HANDSET_[A-Z_]+[A-Z]/g) ?? []) {
    assert.ok(settings.includes(`\`${name}\``), name);
  }
  const metrics = new Set(operations.match(/\b(?:handset|process)_[a-z0-9_]+[a-z]/g));
  assert.ok(metrics.size > 15);
  for (const name of metrics) {
    const made = name.replace(/_(p50|p99)_seconds$/, '_${name}_seconds');
    assert.ok(sources.includes(`'${name}'`) || sources.includes(made), name);
  }
});

test('the log and the errors say what the page says that they say', () => {
  for (const words of [
    'the database cannot be written to; writes resume by themselves once it can',
    'the clock of this machine was set',
    'Too many failed authentications from this address',
  ]) {
    assert.ok(operations.includes(words), words);
    assert.ok(sources.includes(words), `in the source: ${words}`);
  }
});

test('every test that is named as a proof is there', () => {
  const named = [...security.matchAll(/`(test\/[\w./*-]+)`/g)].map(([, path]) => path!);
  assert.ok(named.length >= 4);
  for (const path of named)
    assert.ok(path.includes('*') ? globSync(path, { cwd: root }).length > 0 : existsSync(join(root, path)), path);
});

test('docs/internals/durability.md names a test in each cell of its contract, and each is there', () => {
  const page = textOf('docs/internals/durability.md');
  const [contract = ''] = page.split('## How it is done');
  const cells = contract
    .split('\n')
    .filter((line) => line.startsWith('| **'))
    .flatMap((line) => line.split('|').slice(2, -1));
  assert.ok(cells.length >= 16);
  for (const cell of cells) assert.match(cell, /`test\/[\w./-]+\.test\.ts`/);
  for (const [, path] of page.matchAll(/`(test\/[\w./-]+)`/g)) assert.ok(existsSync(join(root, path!)), path);
});
