#!/usr/bin/env node
/**
 * `npm run check [-- --build]`: writes the generated parts of the clients, then checks types, lint, format, styles and unused code, two
 * steps at a time; with `--build`, also builds what the tests need. The output of each step is printed when it ends. Compilation is incremental.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';

const root = join(import.meta.dirname, '..');
const cache = 'node_modules/.cache/tsc';
const formatted = 'src sandbox test bench tools examples client/src dashboard extension integrations';

const tsc = (project: string, name: string): string =>
  `tsc --noEmit -p ${project} --incremental --tsBuildInfoFile ${cache}/${name}.tsbuildinfo`;

/** Longest first. */
const checks = [
  tsc('.', 'root'),
  'oxlint --type-aware',
  'knip',
  tsc('dashboard', 'dashboard'),
  tsc('client', 'client'),
  'tsc -p integrations/n8n',
  'node tools/check-styles.ts',
  `oxfmt --check ${formatted}`,
];
const builds = ['node dashboard/build.ts --required && node tools/bundle.ts --required', 'node tools/test-packages.ts'];

const run = (command: string): Promise<boolean> =>
  new Promise((resolve) => {
    const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` };
    const child = spawn(command, { cwd: root, shell: true, env });
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void output.push(chunk));
    child.on('close', (code) => {
      process.stdout.write(
        `${code === 0 ? 'done' : `failed (${code})`}: ${command}\n${Buffer.concat(output).toString()}`,
      );
      resolve(code === 0);
    });
  });

execFileSync(process.execPath, [join(root, 'tools/client-types.ts')], { stdio: 'inherit' });
const { values } = parseArgs({ options: { build: { type: 'boolean', default: false } } });
mkdirSync(join(root, cache), { recursive: true });
const limit = pLimit(2);
const steps = values.build ? [...checks, ...builds] : checks;
const outcomes = await Promise.all(steps.map((step) => limit(() => run(step))));
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
