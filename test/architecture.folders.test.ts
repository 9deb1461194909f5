/** Folders inside a room form a line, as ARCHITECTURE.md lists them: no two import each other, by whatever way, where types alone do not count. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parseSync } from 'vite';

const root = join(import.meta.dirname, '..');
const rooms = [
  ...globSync('src/*/', { cwd: root }).map((path) => path.replace(/\/$/, '')),
  'sandbox/src',
  'dashboard/src',
];

/** Files that `path` imports by value, statically or not. */
const valueImports = (path: string): string[] => {
  const { module } = parseSync(path, readFileSync(join(root, path), 'utf8'));
  const text = readFileSync(join(root, path), 'utf8');
  const named = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  const passedOn = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) => (moduleRequest === null || isType ? [] : [moduleRequest.value])),
  );
  const later = module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1));
  return [...named, ...passedOn, ...later]
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => join(dirname(path), specifier))
    .filter((target) => existsSync(join(root, target)));
};

/** For each folder of the room those that its files import. */
const foldersOf = (room: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const files = globSync('**/*.{ts,tsx}', { cwd: join(root, room) }).map((path) => join(room, path));
  const folders = new Map(files.map((path) => [dirname(path), new Set<string>()]));
  for (const path of files) {
    for (const target of valueImports(path)) {
      if (target.startsWith(`${room}/`) && dirname(target) !== dirname(path))
        folders.get(dirname(path))!.add(dirname(target));
    }
  }
  return folders;
};

/** Folders from which a way of imports leads back to them. */
const inLoops = (folders: ReadonlyMap<string, ReadonlySet<string>>): string[] => {
  const reached = (from: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const walk = (folder: string): void => {
      for (const next of folders.get(folder) ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        walk(next);
      }
    };
    walk(from);
    return seen;
  };
  return [...folders.keys()].filter((folder) => reached(folder).has(folder));
};

test('folders inside a room form a line', () => {
  assert.ok(rooms.length > 10);
  for (const room of rooms) assert.deepEqual(inLoops(foldersOf(room)), [], room);
});

test('a loop between folders is seen', () => {
  const loop = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['c'])],
    ['c', new Set(['b'])],
  ]);
  assert.deepEqual(inLoops(loop), ['b', 'c']);
});
