/** `handset` started by a Node that is too old for it, as npx does from another folder. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { version } from '../../src/config.ts';

const launch = join(import.meta.dirname, '../../src/cli/launch.js');
const run = promisify(execFile);
const older = `data:text/javascript,${encodeURIComponent(
  'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } })',
)}`;

test('an old Node hands over to the one that is installed, with words, output and exit code', async () => {
  const ran = (word: string) => run(process.execPath, ['--import', older, launch, word]);
  await Promise.all([
    ran('--version').then(({ stdout }) => assert.equal(stdout, `${version}\n`)),
    assert.rejects(ran('nonsense'), { code: 2 }),
  ]);
});
