/** The count of files and functions on the hot paths, as `npm run hot-paths` prints it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { preloaded } from './system/support/child.ts';

const run = promisify(execFile);
const script = join(import.meta.dirname, '../bench/hot-paths.ts');

const total = /^(text|inbound): (\d+) files \(at most (\d+)\), (\d+) functions \(at most (\d+)\)/gm;
const totalsOf = (stdout: string): readonly RegExpExecArray[] => [...stdout.matchAll(total)];

const isWithin = ([, , files, maxFiles, functions, maxFunctions]: RegExpExecArray): boolean =>
  Number(files) <= Number(maxFiles) && Number(functions) <= Number(maxFunctions);

const halves = (stdout: string): readonly [string, string] => {
  const [text = '', inbound = ''] = stdout.split(/^text: .*$/m);
  return [text, inbound];
};

const isOrdered = (path: string, rooms: readonly string[]): boolean => {
  const places = rooms.map((room) => path.search(new RegExp(`^src/${room}/`, 'm')));
  return places.every((place, index) => place > (places[index - 1] ?? -1));
};

const areOrdered = (stdout: string): boolean => {
  const [text, inbound] = halves(stdout);
  return isOrdered(text, ['http', 'whatsapp', 'webhooks']) && isOrdered(inbound, ['whatsapp', 'webhooks']);
};

/** Counts again what is above its bar or in another order: a timer that rings during the count is in it, and on no path. */
const counted = async (attempts = 3): Promise<string> => {
  // It ends with 1 above a bar, and has printed what it counted.
  const stdout = await run(process.execPath, [...preloaded, script]).then(
    (ended) => ended.stdout,
    (error: unknown) => {
      if (error instanceof Error && 'stdout' in error && totalsOf(String(error.stdout)).length === 2) {
        return String(error.stdout);
      }
      throw error;
    },
  );
  return attempts === 1 || (totalsOf(stdout).every(isWithin) && areOrdered(stdout)) ? stdout : counted(attempts - 1);
};

test(
  'hot paths: files and functions stand in the order in which they run, and are no more than they may be',
  { timeout: 300_000 },
  async () => {
    const stdout = await counted();
    const [text, inbound] = halves(stdout);
    assert.ok(areOrdered(stdout), 'the rooms stand in the order in which they run');
    const listed = [text, inbound].map((path) => path.match(/^src\/.* \(\d+\)$/gm) ?? []);
    const totals = totalsOf(stdout);
    for (const found of totals) assert.ok(isWithin(found), found[0]);
    assert.deepEqual(
      totals.map(([, path, files]) => [path, Number(files)]),
      [
        ['text', listed[0]!.length],
        ['inbound', listed[1]!.length],
      ],
    );
  },
);
