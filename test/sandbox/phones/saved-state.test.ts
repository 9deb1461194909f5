/** A data directory that another version of the sandbox has saved is refused in words, and stays as it is. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';

test('what another version has saved is not taken over', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sandbox-'));
  const path = join(dataDir, 'server.json');
  const sandbox = await startSandbox({ dataDir });
  sandbox.phones.create('491510000001', 'Alice');
  await sandbox.close();
  const saved = JSON.parse(await readFile(path, 'utf8'));
  assert.equal(saved.accounts.length, 1);
  const older = JSON.stringify({ ...saved, version: 1 });
  await writeFile(path, older);
  await assert.rejects(startSandbox({ dataDir }), /saved by another version of the sandbox: delete it, or use another/);
  assert.equal(await readFile(path, 'utf8'), older);
  await writeFile(path, JSON.stringify(saved));
  const again = await startSandbox({ dataDir });
  assert.ok(again.phones.find('491510000001') !== null);
  await again.close();
  await rm(dataDir, { recursive: true, force: true });
});
