/** Failures in the engine that nobody awaits. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const child = fileURLToPath(new URL('unhandled-rejections-child.ts', import.meta.url));
const run = (...args: string[]) => spawnSync(process.execPath, [child, ...args], { encoding: 'utf8' });

test('driver: what fails with nobody waiting for it is logged once, without numbers, and ends nothing', () => {
  assert.notEqual(run().status, 0, 'by itself it ends a process');
  const { status, stdout } = run('--told');
  assert.equal(status, 0);
  assert.equal(stdout.match(/nobody waits for/g)?.length, 1);
  assert.match(stdout, /no call of …/);
  assert.match(stdout, /^still there$/m);
});
