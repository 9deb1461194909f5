#!/usr/bin/env node
/**
 * Starts `handset` with whatever Node is found first. If that is too old, it hands over to the Node that `npm ci` brought, or installs one
 * for this user. npx finds that Node itself inside the checkout, but not from elsewhere (`npx --prefix`, a link). JavaScript, because an
 * old Node runs nothing else.
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
    // The service reads its own options; it can also be started directly (`npm start`).
    process.argv.splice(2, 1);
    await import('./serve.js');
    return;
  }
  rememberCompiled();
  await import(built('handset') ?? './handset.ts');
};

const broughtNode = () => {
  try {
    return join(createRequire(import.meta.url).resolve('node/package.json'), '..', 'bin', 'node');
  } catch {
    return null;
  }
};

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
  // Ctrl-C reaches both processes; other signals are passed on to the child.
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
