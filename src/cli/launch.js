#!/usr/bin/env node
/**
 * `handset` with whatever Node is found first: one that is too old hands over to the one that `npm ci` has brought, or installs one for
 * itself. Within the checkout npx finds that one by itself; from elsewhere (`npx --prefix`, a link) it does not. JavaScript, for an old one
 * takes nothing else.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const needed = 24;
const own = fileURLToPath(import.meta.url);

const start = async () => {
  const { built, rememberCompiled } = await import('./built.js');
  const [word = ''] = process.argv.slice(2);
  if (word === 'start' || word === 'serve') {
    // It reads its own options, and is a program by itself as well (`npm start`).
    process.argv.splice(2, 1);
    await import('./serve.js');
    return;
  }
  rememberCompiled();
  await import(built('handset') ?? './handset.ts');
};

/** A package's Node, of the tree that this file is in. */
const broughtNode = () => {
  try {
    return join(createRequire(import.meta.url).resolve('node/package.json'), '..', 'bin', 'node');
  } catch {
    return null;
  }
};

/** Kept for all installations of this user. */
const ownNode = () => {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'handset', `node-${needed}`);
  const program = join(folder, 'node_modules', 'node', 'bin', 'node');
  if (existsSync(program)) return program;
  const lacking = `handset: Node ${needed} or newer is needed, and this is ${process.versions.node}`;
  process.stderr.write(`${lacking}: installing it in ${folder}, once …\n`);
  const ran = spawnSync('npm', ['install', '--silent', '--prefix', folder, `node@${needed}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (ran.status === 0 && existsSync(program)) return program;
  process.stderr.write(`${lacking}, and it could not be installed\n`);
  return process.exit(1);
};

if (Number(process.versions.node.split('.')[0]) >= needed) {
  await start();
} else {
  const child = spawn(broughtNode() ?? ownNode(), [own, ...process.argv.slice(2)], { stdio: 'inherit' });
  // Ctrl-C reaches both processes; a signal to this one is meant for the program.
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
