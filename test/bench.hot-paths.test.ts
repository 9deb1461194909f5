/** The count of files and functions on the hot paths, as `npm run hot-paths -- --quiet` prints it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { preloaded } from './system/support/child.ts';

const run = promisify(execFile);
const script = join(import.meta.dirname, '../bench/hot-paths.ts');

const total = /^(text|inbound): (\d+) files \(at most (\d+)\), (\d+) functions \(at most (\d+)\)/gm;

const isWithin = ([, , files, maxFiles, functions, maxFunctions]: RegExpExecArray): boolean =>
  Number(files) <= Number(maxFiles) && Number(functions) <= Number(maxFunctions);

/** Counts again what is above its bar: a timer that rings during the count is in it, and on no path. */
const counted = async (attempts = 3): Promise<readonly RegExpExecArray[]> => {
  const { stdout } = await run(process.execPath, [...preloaded, script, '--quiet']);
  const totals = [...stdout.matchAll(total)];
  return attempts === 1 || totals.every(isWithin) ? totals : counted(attempts - 1);
};

test('hot paths: files and functions are no more than they may be', { timeout: 300_000 }, async () => {
  const totals = await counted();
  assert.deepEqual(
    totals.map(([, path, files]) => [path, Number(files) > 10]),
    [
      ['text', true],
      ['inbound', true],
    ],
  );
  for (const found of totals) assert.ok(isWithin(found), found[0]);
});
