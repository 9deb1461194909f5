#!/usr/bin/env node
/**
 * `npm test [-- <glob> …]`: runs several test files in a process, which saves most of them loading and warming up the service. A file
 * named `….alone.test.ts` gets its own process. Each file is a suite of its name, and all suites must be present at the end.
 */
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { bundleChildren } from './test-children.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'node_modules/.cache/test-processes');
const perProcess = 10;
const concurrency = 3;
/** For all files of a process: a process that hangs is ended, and its files are named. */
const timeout = 480_000;

/** Consecutive files of a folder, as many as share a process. */
const inProcesses = (files: readonly string[]): string[][] => {
  const processes: string[][] = [];
  const alone = (file: string) => file.endsWith('.alone.test.ts');
  for (const file of files) {
    const last = processes.at(-1);
    const [neighbour] = last ?? [];
    if (
      neighbour &&
      last!.length < perProcess &&
      dirname(neighbour) === dirname(file) &&
      ![neighbour, file].some(alone)
    )
      last!.push(file);
    else processes.push([file]);
  }
  return processes;
};

/** Source of one process. It exits when its tests are done: not earlier, if nothing they wait for keeps the process alive, and not later. */
const moduleOf = (files: readonly string[]): string => `import { createRequire } from 'node:module';
import { after, describe } from 'node:test';
const require = createRequire(import.meta.url);
${files.map((file) => `describe(${JSON.stringify(file)}, () => void require(${JSON.stringify(join(root, file))}));`).join('\n')}
const hold = setInterval(() => undefined, 60_000);
after(() => {
  clearInterval(hold);
  setTimeout(() => process.exit(), 500).unref();
});
`;

const patterns = process.argv.slice(2);
// The files of a folder stand together, without those of its folders between them.
const files = globSync(patterns.length > 0 ? patterns : 'test/**/*.test.ts', { cwd: root }).sort(
  (one, other) => dirname(one).localeCompare(dirname(other)) || one.localeCompare(other),
);
if (files.length === 0) throw new Error(`no test file is named ${patterns.join(' ')}`);
const modules = inProcesses(files).map((together) => {
  const path = join(folder, together[0]!.replace('.ts', '.mjs'));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, moduleOf(together));
  return path;
});

if (patterns.length === 0) process.env['TEST_CHILDREN'] = await bundleChildren();
const missing = new Set(files);
const execArgv = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
  `--import=${join(root, 'test/support/compile-cache.ts')}`,
];
const results = run({ files: modules, cwd: root, concurrency, timeout, execArgv });
results.on('test:pass', ({ name }) => missing.delete(name));
results.on('test:fail', ({ name, todo }) => {
  missing.delete(name);
  if (todo === undefined || todo === false) process.exitCode = 1;
});
results.on('end', () => {
  if (missing.size === 0) return;
  process.exitCode = 1;
  console.error(`Not run: ${[...missing].join(', ')}`);
});
results.compose(new spec()).pipe(process.stdout);
