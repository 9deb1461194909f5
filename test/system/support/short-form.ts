/** Runs a program of `test/system` in its short form, as CI does. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { preloaded } from './child.ts';

/** The output of the program, which must end with exit code 0. Its waits have limits; the whole has none, so that a busy machine only makes it slow. */
export const shortForm = async (script: string, options: readonly string[]): Promise<string> => {
  const program = join(import.meta.dirname, '..', script);
  const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(process.execPath, [...preloaded, program, ...options], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), output: stdout + stderr }),
    );
  });
  assert.equal(code, 0, output);
  return output;
};
