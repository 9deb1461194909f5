/** A short soak of pairings: in each kind of trouble every one ends linked, or in timeout with a reason. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const script = join(import.meta.dirname, 'soak-pairing.ts');

test('eight pairings through what goes wrong most often', async () => {
  // With this seed: a kill of the service, and logins that are refused right after the link.
  const soak = spawn(process.execPath, [script, '--pairings', '8', '--people', '4', '--speed', '4', '--seed', '3'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => soak.once('exit', resolve));
  const output = await text(soak.stdout);
  assert.equal(await ended, 0, output);
  assert.match(output, /every pairing ended linked, or in timeout with a reason, within its time/);
  assert.match(output, /kills +1\n/);
});
