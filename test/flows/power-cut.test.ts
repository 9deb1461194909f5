/** The power cuts of `npm run chaos`, in short: judged from outside by a receiver, by answers of the interface and by the sandbox's phones. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeDisk } from '../support/disk.ts';

/** Flushes at which a run is cut: during the start, and in traffic. */
const flushes = '9,40';

test('the power is cut before and after flushes: nothing lost, doubled, out of order or unreadable', async (t) => {
  const disk = await makeDisk();
  await disk?.remove();
  if (disk === null) return t.skip('no C compiler');
  const program = join(import.meta.dirname, '../system/chaos.ts');
  const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(
      process.execPath,
      [program, '--flushes', flushes, '--hurry'],
      { timeout: 120_000 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.code ?? error.signal), output: stdout + stderr }),
    );
  });
  assert.equal(code, 0, output);
  assert.match(output, /5 power cuts/);
  t.diagnostic(output);
});
