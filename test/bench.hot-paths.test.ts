/** The count of files and functions on the hot paths, as `npm run hot-paths` prints it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const script = join(import.meta.dirname, '../bench/hot-paths.ts');

test(
  'hot paths: files and functions stand in the order in which they run, and are no more than they may be',
  { timeout: 300_000 },
  async () => {
    const { stdout } = await run(process.execPath, [script]);
    const [text = '', inbound = ''] = stdout.split(/^text: .*$/m);
    const place = (path: string, file: RegExp): number => {
      const at = path.search(file);
      assert.notEqual(at, -1, `${String(file)} is not on the path`);
      return at;
    };
    assert.ok(place(text, /^src\/http\//m) < place(text, /^src\/whatsapp\//m));
    assert.ok(place(text, /^src\/whatsapp\//m) < place(text, /^src\/webhooks\//m));
    assert.ok(place(inbound, /^src\/whatsapp\//m) < place(inbound, /^src\/webhooks\//m));
    const listed = [text, inbound].map((path) => path.match(/^src\/.* \(\d+\)$/gm) ?? []);
    const total = /^(text|inbound): (\d+) files \(at most (\d+)\), (\d+) functions \(at most (\d+)\)/gm;
    const totals = [...stdout.matchAll(total)];
    for (const [line, , files, mostFiles, functions, mostFunctions] of totals) {
      assert.ok(Number(files) <= Number(mostFiles) && Number(functions) <= Number(mostFunctions), line);
    }
    assert.deepEqual(
      totals.map(([, path, files]) => [path, Number(files)]),
      [
        ['text', listed[0]!.length],
        ['inbound', listed[1]!.length],
      ],
    );
  },
);
