/** The process of ffmpeg: what it gets, and how it is ended. Programs of a few lines stand in its place, which do what ffmpeg should not. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runFfmpeg } from '../../../src/whatsapp/media/ffmpeg/ffmpeg.ts';
import { TemporaryFiles } from '../../../src/whatsapp/media/temporary-files.ts';
import { eventually } from '../../support/wait.ts';

const folder = mkdtempSync(join(tmpdir(), 'handset-ffmpeg-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const files = new TemporaryFiles(folder);

const program = (name: string, script: string): string => {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return path;
};

const textOf = async (file: FileHandle): Promise<string> => {
  const bytes = Buffer.alloc((await file.stat()).size);
  await file.read(bytes, 0, bytes.length, 0);
  return bytes.toString();
};

const run = async (script: string, maxBytes: number, signal?: AbortSignal, begun?: (target: FileHandle) => void) => {
  await using source = await files.create();
  await using target = await files.create();
  await source.write('the input');
  begun?.(target);
  await runFfmpeg(program('program', script), { source, target, options: [], maxBytes, maxCpuSeconds: 120, signal });
  return await textOf(target);
};

test('it gets its input, its limits, and nothing of the environment', async () => {
  process.env.HANDSET_SECRET_OF_A_TEST = 'secret';
  const told = await run('{ cat /dev/fd/3; env; ulimit -f; ulimit -t; ulimit -c; } > /dev/fd/4', 51_200);
  delete process.env.HANDSET_SECRET_OF_A_TEST;
  assert.match(told, /^the input/);
  assert.doesNotMatch(told, /secret|HOME=|HANDSET/);
  assert.deepEqual(told.trim().split('\n').slice(-3), ['100', '120', '0'], 'blocks of a file, seconds, core dumps');
});

test('it cannot write more than it may', async () => {
  const endless = 'while :; do echo 0123456789012345678901234567890123456789 || exit 1; done > /dev/fd/4';
  await assert.rejects(run(endless, 4_096), { message: /^ffmpeg ended with/ });
});

test('it is killed when nobody waits any more', async () => {
  const abort = new AbortController();
  let pid = 0;
  const pending = run('echo $$ > /dev/fd/4; while :; do sleep 1; done', 4_096, abort.signal, (target) => {
    void eventually('it runs', async () => {
      pid = Number(await textOf(target));
      return pid > 0;
    }).finally(() => abort.abort(new Error('its time is up')));
  });
  await assert.rejects(pending, /its time is up/);
  assert.ok(pid > 0);
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

test('a program that cannot be started is a failed conversion', async () => {
  await using source = await files.create();
  await using target = await files.create();
  const nothing = { source, target, options: [], maxBytes: 1, maxCpuSeconds: 1 };
  await assert.rejects(runFfmpeg(join(folder, 'nothing'), nothing), { message: /^ffmpeg ended with 12/ });
});
