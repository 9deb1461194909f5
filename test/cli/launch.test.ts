/** `handset` started by a Node that is too old for it, as npx does from another folder. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { version } from '../../src/config.ts';

const launch = join(import.meta.dirname, '../../src/cli/launch.js');
const run = promisify(execFile);
const older = `data:text/javascript,${encodeURIComponent(
  'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } })',
)}`;

test('an old Node hands over to the one that is installed, with words, output and exit code', async () => {
  const ran = (word: string) => run(process.execPath, ['--import', older, launch, word]);
  await Promise.all([
    ran('--version').then(({ stdout }) => assert.equal(stdout, `${version}\n`)),
    assert.rejects(ran('nonsense'), { code: 2 }),
  ]);
});

test('start and sandbox explain their options, and name a port that is none', async () => {
  const ran = (...words: string[]) => run(process.execPath, [launch, ...words]);
  const [service, sandbox] = await Promise.all([ran('start', '--help'), ran('sandbox', '--help')]);
  assert.match(service.stdout, /^Usage: handset start \[--port N\]/);
  assert.match(sandbox.stdout, /^Usage: handset sandbox[^]*--data DIRECTORY/);
  await assert.rejects(ran('start', '--port', '80800'), /--port must be 0 to 65535, not "80800"/);
});

test('the log is JSON, and text for people where that is asked for', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'handset-log-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const firstLine = async (format: string | undefined): Promise<string> => {
    const env = { ...process.env, HANDSET_DATA_DIR: join(folder, format ?? 'json'), NO_COLOR: '1' };
    const child = spawn(process.execPath, [launch, 'start', '--port', '0', '--sandbox'], {
      env: format === undefined ? env : { ...env, HANDSET_LOG_FORMAT: format },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    try {
      for await (const line of createInterface({ input: child.stdout })) return line;
      throw new Error('the service ended without a line');
    } finally {
      child.kill('SIGTERM');
      await exited;
    }
  };
  const [json, people] = await Promise.all([firstLine(undefined), firstLine('text')]);
  assert.equal(JSON.parse(json).level, 'info');
  assert.match(people, /^\[\d\d:\d\d:\d\d\] INFO: client version \{/);
});

test('questions are answered line by line from an input that is no terminal, which may stay open or lack the last newline', async () => {
  const terminal = JSON.stringify(join(import.meta.dirname, '../../src/cli/terminal/terminal.ts'));
  const program = `const { processTerminal } = await import(${terminal});
    const { askSecret } = processTerminal();
    for (const question of ['one? ', 'two? ']) console.log(await askSecret(question));`;
  const asked = async (input: string, open: boolean): Promise<[string, number | null]> => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.write(input);
    if (!open) child.stdin.end();
    const [answers, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    return [answers, code];
  };
  const [open, unfinished, short] = await Promise.all([
    asked('a passphrase\nhttp://proxy\n', true),
    asked('a passphrase\nhttp://proxy', false),
    asked('a passphrase\n', false),
  ]);
  assert.deepEqual(open, ['a passphrase\nhttp://proxy\n', 0]);
  assert.deepEqual(unfinished, open);
  assert.deepEqual(short, ['a passphrase\n', 1], 'an input that is too short is an error');
});
