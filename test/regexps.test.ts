/** The lint rule against regular expressions whose time grows faster than their text finds each kind of them, and knows the ways out. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

/** The lines of the code that the rule reports. */
const reported = (lines: readonly string[]): readonly string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'handset-regexps-'));
  try {
    const file = join(folder, 'code.ts');
    writeFileSync(file, lines.join('\n'));
    const config = join(root, '.oxlintrc.json');
    const args = ['-c', config, '--format=unix', file];
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), args, { encoding: 'utf8' });
    const found = stdout.split('\n').filter((line) => line.includes('regexps(super-linear)'));
    return [...new Set(found.map((line) => lines[Number(/code\.ts:(\d+):/.exec(line)![1]) - 1]!))];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

test('a repetition before an end, within another or beside its like is an error', () => {
  const slow = [
    String.raw`export const a = /;+$/;`,
    String.raw`export const b = /^(a+)+$/;`,
    String.raw`export const c = /^\s*\S*\s*x\s*$/;`,
    String.raw`export const d = /\/\/[^@]*@/;`,
    String.raw`export const e = new RegExp('\\s+$');`,
    String.raw`export const f = { type: 'string', pattern: '^[^,]*\\S[^,]*$' };`,
  ];
  const quick = [
    String.raw`export const g = /(?<!;);+$/;`,
    String.raw`export const h = /^;+$/;`,
    String.raw`export const i = /;{1,100}$/;`,
    String.raw`export const j = { type: 'string', pattern: '^\\s*[^\\s,][^,]*$' };`,
  ];
  assert.deepEqual(reported([...slow, ...quick]), slow);
});
