/** The sandbox as a program: its first line, its ports, its end. */
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { test } from 'node:test';

const script = join(import.meta.dirname, '../../../sandbox/src/main.ts');

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const run = (...options: string[]): Child =>
  spawn(process.execPath, [script, ...options], { stdio: ['pipe', 'pipe', 'pipe'] });

const firstLine = async (child: Child) => {
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return JSON.parse(line);
};

test('its first line of output says what GET /sandbox says, and it ends on SIGTERM', async () => {
  const child = run('--port', '0');
  const address = await firstLine(child);
  assert.deepEqual(Object.keys(address), ['socketUrl', 'rootKey', 'mediaCa', 'controlUrl', 'versionUrl']);
  assert.deepEqual(await (await fetch(address.controlUrl)).json(), address);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('with --with-parent it ends when its standard input does', async () => {
  const child = run('--with-parent');
  await firstLine(child);
  child.stdin.end();
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('with --lenient it plays the network that stock clients speak to', async () => {
  const child = run('--lenient');
  const { controlUrl } = await firstLine(child);
  const faults = async (method: string, body?: object) => {
    const answer = await fetch(`${controlUrl}/faults`, { method, ...(body && { body: JSON.stringify(body) }) });
    const { faults: said }: { faults: { addressing: string } } = JSON.parse(await answer.text());
    return said.addressing;
  };
  assert.equal(await faults('PUT', { addressing: 'strict' }), 'strict');
  assert.equal(await faults('DELETE'), 'lenient');
  child.kill('SIGTERM');
  await once(child, 'exit');
});

test('a port that is taken ends it with what to do, without the usage', async () => {
  const first = run('--port', '0');
  const { port } = new URL((await firstLine(first)).controlUrl);
  const second = run('--port', port);
  const [text] = await Promise.all([second.stderr.setEncoding('utf8').toArray(), once(second, 'exit')]);
  assert.equal(text.join(''), `Port ${port} is in use by another program: choose another one with --port\n`);
  assert.equal(second.exitCode, 1);
  first.kill('SIGTERM');
  await once(first, 'exit');
});

test('wrong options end it at once, with the usage', async () => {
  const child = run('--port', 'abc');
  const ended = once(child, 'exit');
  const [line] = await once(createInterface({ input: child.stderr }), 'line');
  assert.match(line, /--port/);
  assert.deepEqual(await ended, [1, null]);
});
