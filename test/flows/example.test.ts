/** The example of docs/sandbox.md, run as it stands in examples/. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '..', '..');
const example = join(root, 'examples', 'sandbox.test.ts');

describe('the example of an integration test', () => {
  it('passes', async () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const run = spawn(process.execPath, ['--test', example], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise<number | null>((resolve) => run.once('exit', resolve));
    const output = await text(run.stdout);
    assert.equal(await ended, 0, output);
    assert.match(output, /pass 1\b/);
  });

  it('ends as docs/sandbox.md shows', async () => {
    const shown = await readFile(join(root, 'docs', 'sandbox.md'), 'utf8');
    const source = await readFile(example, 'utf8');
    assert.ok(shown.includes(`\`\`\`ts\n${source.slice(source.indexOf("test('a customer"))}\`\`\``));
  });
});
