/** docs/linking.md: what it says that Handset says, Handset says. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

test('each reason of the table is one that the service can give', () => {
  const page = readFileSync(join(root, 'docs/linking.md'), 'utf8');
  const table = page.slice(page.indexOf('| on the phone |'), page.indexOf('## How far this is proved'));
  const source = globSync('src/{domain,service,whatsapp}/**/*.ts', { cwd: root })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');
  // What follows a bracket, a colon or an ellipsis is of the one case.
  const quoted = [...table.matchAll(/\*([^*|]{12,})\*/g)].map(([, text]) => text!.split(/ ?…| \(|: /)[0]!);
  assert.ok(quoted.length >= 14, `${quoted.length} reasons`);
  assert.deepEqual(
    quoted.filter((text) => !source.includes(text)),
    [],
  );
});
