/** The short form of `npm run chaos`; the long one is for releases. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

test('killed twice in the middle of everything: nothing lost, doubled, out of order or unreadable', async (t) => {
  const program = join(import.meta.dirname, 'chaos.ts');
  const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(
      process.execPath,
      [program, '--kills', '2', '--seconds', '4', '--hurry'],
      { timeout: 90_000 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.code ?? error.signal), output: stdout + stderr }),
    );
  });
  assert.equal(code, 0, output);
  t.diagnostic(output);
});
