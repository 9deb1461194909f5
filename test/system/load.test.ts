/** The short form of `npm run load`; the long one is for releases. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

test('a hundred clients of one user: 200 and 429 only, flat memory, and others go on as before', async (t) => {
  const program = join(import.meta.dirname, 'load.ts');
  // Other tests run beside this one: what is slower by less than a quarter of a second may be their doing.
  const options = ['--seconds', '3', '--clients', '100', '--slack', '250'];
  const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(process.execPath, [program, ...options], { timeout: 90_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), output: stdout + stderr }),
    );
  });
  assert.equal(code, 0, output);
  t.diagnostic(output);
});
