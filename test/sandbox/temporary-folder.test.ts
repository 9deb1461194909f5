/** What a killed sandbox leaves among the system's temporary folders ends with the next one. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

const script = join(import.meta.dirname, '../../sandbox/src/main.ts');

test('folders of sandboxes that were killed are removed, and no others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'handset-temporary-'));
  const start = async () => {
    const env = { ...process.env, TMPDIR: folder };
    const child = spawn(process.execPath, [script, '--port', '0'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    await once(createInterface({ input: child.stdout }), 'line');
    return child;
  };
  const ended = async (child: Awaited<ReturnType<typeof start>>, signal: NodeJS.Signals) => {
    child.kill(signal);
    await once(child, 'exit');
  };
  const pids = async (): Promise<readonly string[]> =>
    (await readdir(folder)).flatMap((name) => /^sandbox-media-(\d+)-/.exec(name)?.[1] ?? []).toSorted();
  const others = ['sandbox-media-notes', 'handset-x'];
  for (const name of others) await mkdir(join(folder, name));
  const [killed, living] = [await start(), await start()];
  assert.deepEqual(await pids(), [String(killed.pid), String(living.pid)].toSorted());
  await ended(killed, 'SIGKILL');
  const next = await start();
  assert.deepEqual(await pids(), [String(living.pid), String(next.pid)].toSorted());
  await ended(living, 'SIGTERM');
  await ended(next, 'SIGTERM');
  assert.deepEqual(await pids(), []);
  for (const name of others) assert.ok((await readdir(folder)).includes(name), name);
  await rm(folder, { recursive: true });
});
