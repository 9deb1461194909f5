/** docs/migrating.md: what it names on Handset's side is an operation, and an event. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { operations } from '../../src/contract/operations/all.ts';
import { allKinds } from '../../src/domain/event.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/migrating.md'), 'utf8');

/** The right column of each table, by the heading of its left one. */
const rightOf = (heading: RegExp): readonly string[] =>
  page.split('\n\n').flatMap((block) => {
    const [head = '', , ...rows] = block.trim().split('\n');
    return heading.test(head) ? rows.map((row) => row.split(' | ')[1] ?? '') : [];
  });

test('each operation that is named exists', () => {
  const known = new Set<string>(operations.map(({ method, path }) => `${method} /v1${path}`));
  const named = [...page.matchAll(/`(GET|POST|PUT|DELETE) (\/v1\/[^`?]+)[^`]*`/g)].map(
    ([, verb, path]) => `${verb} ${path}`,
  );
  assert.ok(named.length > 70, `${named.length}`);
  assert.deepEqual(
    named.filter((one) => !known.has(one)),
    [],
  );
});

test('each event that is named exists', () => {
  const cells = rightOf(/\| Handset event \|$/).join('\n');
  const named = [...cells.matchAll(/`([a-z]+\.[a-z]+)`/g)].map(([, kind]) => kind!);
  const kinds: readonly string[] = allKinds;
  assert.ok(named.length > 40, `${named.length}`);
  assert.deepEqual(
    named.filter((kind) => !kinds.includes(kind) && !kind.startsWith('update.')),
    [],
  );
});
