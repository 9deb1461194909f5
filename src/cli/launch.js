#!/usr/bin/env node
/**
 * `handset` with whatever Node is found first: one that is too old hands over to the one that `npm ci` has brought. Within the checkout
 * npx finds that one by itself; from elsewhere (`npx --prefix`, a link) it does not. JavaScript, for an old one takes nothing else.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const needed = 24;
const program = join(dirname(fileURLToPath(import.meta.url)), 'handset.ts');

const broughtNode = () => {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
  } catch {
    process.stderr.write(
      `handset: Node ${needed} or newer is needed, and this is ${process.versions.node}: run "npm ci"\n`,
    );
    return process.exit(1);
  }
};

if (Number(process.versions.node.split('.')[0]) >= needed) {
  await import('./handset.ts');
} else {
  const child = spawn(broughtNode(), [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  // Ctrl-C reaches both; whoever ends this process by its id means the program.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    process.stderr.write(`handset: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
