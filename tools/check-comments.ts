#!/usr/bin/env node
/** Fails on doc comments that open with a riddle: a comment names its subject first. Part of `npm run check`. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

const folders = ['bench', 'client/src', 'dashboard/src', 'examples', 'extension', 'sandbox', 'src', 'test', 'tools'];

const riddle = /\/\*\*[\s*]*(?:What|Whatever|Who|Whoever|So many|Of|Where|The same|By)\b/g;

const files = globSync(`{${folders.join(',')}}/**/*.{ts,tsx,js,mjs}`, {
  cwd: root,
  exclude: ['**/node_modules/**', '**/dist/**'],
});
const found = files.flatMap((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(riddle)].map(({ index }) => {
    const [line = ''] = text.slice(index).split('\n', 1);
    return `${path}:${text.slice(0, index).split('\n').length}: ${line}`;
  });
});
for (const line of found) process.stderr.write(`${line}\n`);
if (found.length > 0) {
  process.stderr.write(`${found.length} doc comments do not open with their subject.\n`);
  process.exitCode = 1;
}
