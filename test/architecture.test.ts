/** The house as ARCHITECTURE.md draws it, checked: who imports whom, sizes, and what the code may not contain. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const sources = globSync(['src/**/*.ts', 'sandbox/src/**/*.ts', 'integrations/*/{src,nodes,credentials}/**/*.ts'], {
  cwd: root,
}).map((path) => path.split(sep).join('/'));
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Static and dynamic imports with their specifiers. */
const importsOf = (path: string): string[] =>
  [...textOf(path).matchAll(/(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*'([^']+)'|import\s*\(?\s*'([^']+)'/g)].map(
    (match) => match[1] ?? match[2]!,
  );

const localTarget = (path: string, specifier: string): string =>
  relative(root, join(root, dirname(path), specifier))
    .split(sep)
    .join('/');

/** `src/store/x.ts` is in room `store`; `src/config.ts` is a room of its own. */
const roomOf = (path: string): string => {
  const parts = path.split('/');
  if (parts[0] === 'sandbox' || parts[0] === 'client') return parts[0];
  if (parts[0] === 'integrations') return parts.slice(0, 2).join('/');
  return parts.length > 2 ? parts[1]! : parts[1]!.replace(/\.ts$/, '');
};

const allowed: Record<string, readonly string[]> = {
  errors: [],
  log: [],
  config: [],
  clock: ['domain'],
  domain: ['errors'],
  contract: ['domain'],
  service: ['domain', 'errors', 'log'],
  whatsapp: ['domain', 'errors', 'log'],
  store: ['domain', 'errors', 'log'],
  webhooks: ['domain', 'errors', 'log'],
  mcp: ['contract', 'domain', 'errors', 'client'],
  http: ['contract', 'domain', 'service', 'mcp', 'errors', 'log'],
  'media-store': ['domain', 'errors', 'log'],
  outbound: ['domain', 'errors', 'log', 'clock'],
  sandbox: [],
  'integrations/chatwoot': ['client'],
  'integrations/n8n': ['client'],
  cli: ['client', 'contract', 'main', 'config', 'errors', 'log', 'domain', 'mcp'],
};

const roomExceptions = new Set(['main']);

test('every folder imports only what ARCHITECTURE.md allows it', () => {
  const wrong: string[] = [];
  for (const path of sources) {
    const room = roomOf(path);
    if (roomExceptions.has(room)) continue;
    const may = allowed[room];
    if (may === undefined) {
      wrong.push(`${path}: the folder ${room} is not in the table`);
      continue;
    }
    for (const specifier of importsOf(path)) {
      if (!specifier.startsWith('.')) continue;
      const target = roomOf(localTarget(path, specifier));
      if (target !== room && !may.includes(target)) wrong.push(`${path} imports ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('nothing but types is taken from the client', () => {
  for (const path of sources) {
    const taken = textOf(path).match(/^import [^;]*'[./]+\/client\/src\/[^;]*;/gm) ?? [];
    for (const statement of taken) assert.match(statement, /^import type /, path);
  }
});

/** All that the command line takes from the service; the rest it asks for over HTTP. */
const allowedFromMain: Record<string, readonly string[]> = {
  'src/main.ts': ['Handset', 'startHandset'],
  'src/main/finding.ts': ['Finding', 'ok', 'problem', 'warning'],
  'src/main/offline.ts': [
    'backupFolder',
    'checkFolder',
    'checkPostgres',
    'checkUp',
    'compactFolder',
    'copyKeptFiles',
    'countKept',
    'folderWasRestored',
    'moveToPostgres',
    'postgresWasRestored',
    'restoreFolder',
    'rotateSecret',
    'rotateSharedSecret',
  ],
};

/** Imported names by file: `import { a, type b } from`, and `const { a } = await import(`. Any other form is `*`. */
const namesFrom = (path: string): readonly (readonly [target: string, name: string])[] => {
  const text = textOf(path);
  const named = [
    ...text.matchAll(/(?:^|\n)(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'([^']+)'/g),
    ...text.matchAll(/\{([^{}]*)\}\s*=\s*await import\(\s*'([^']+)'/g),
  ].map((match) => ({ names: match[1]!.split(','), specifier: match[2]! }));
  return importsOf(path).flatMap((specifier) => {
    const found = named.filter((each) => each.specifier === specifier).flatMap(({ names }) => names);
    const names = found.map(
      (name) =>
        name
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s+as\s+|\s*:\s*/)[0]!,
    );
    const all = found.length === 0 ? ['*'] : names.filter((name) => name !== '');
    return all.map((name) => [localTarget(path, specifier), name] as const);
  });
};

test('what the command line takes from the service is a list of names', () => {
  const taken = sources
    .filter((path) => path.startsWith('src/cli/'))
    .flatMap(namesFrom)
    .filter(([target]) => target === 'src/main.ts' || target.startsWith('src/main/'));
  const used = Map.groupBy(taken, ([target]) => target);
  const lists = [...used].map(([target, names]) => [target, [...new Set(names.map(([, name]) => name))].sort()]);
  assert.deepEqual(Object.fromEntries(lists), allowedFromMain);
});

test('domain needs no package and does no I/O', () => {
  for (const path of sources.filter((source) => source.startsWith('src/domain/'))) {
    const foreign = importsOf(path).filter((specifier) => !specifier.startsWith('.'));
    assert.deepEqual(foreign, [], path);
  }
});

test('only whatsapp/library knows Baileys and its bridge, only store knows the database; the sandbox is a package of its own', () => {
  const library = /^(baileys|libsignal|curve25519-js|whatsapp-rust-bridge)(\/|$)/;
  const database = /^(kysely|pg|node:sqlite)(\/|$)/;
  const importers = new Set<string>();
  for (const path of sources.filter((source) => source.startsWith('src/'))) {
    for (const specifier of importsOf(path)) {
      if (library.test(specifier)) importers.add(path);
      if (database.test(specifier)) assert.equal(roomOf(path), 'store', `${path} imports ${specifier}`);
    }
  }
  assert.deepEqual(
    [...importers].filter((path) => !path.startsWith('src/whatsapp/library/')),
    [],
  );
  const knowing = sources.filter((path) => path.startsWith('src/whatsapp/') && /baileys/i.test(textOf(path)));
  assert.ok(importers.size > 0 && knowing.length < 10, knowing.join());
});

test('whatsapp/library imports only domain, errors, log and itself, and whatsapp/socket these and the library', () => {
  const library = 'src/whatsapp/library/';
  const socket = 'src/whatsapp/socket/';
  const rooms = [
    { room: library, below: [library] },
    { room: socket, below: [library, socket] },
  ];
  for (const { room, below } of rooms) {
    const wrong = sources
      .filter((path) => path.startsWith(room))
      .flatMap((path) =>
        importsOf(path)
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => localTarget(path, specifier))
          .filter((target) => !below.some((folder) => target.startsWith(folder)))
          .filter((target) => !['domain', 'errors', 'log'].includes(roomOf(target)))
          .map((target) => `${path} imports ${target}`),
      );
    assert.deepEqual(wrong, []);
  }
});

test('docs/internals/engine.md has one override, with a contract test that exists', () => {
  const rows = [...textOf('docs/internals/engine.md').matchAll(/^\| (\d+) \|.*$/gm)].map(([row]) => row.split(' | '));
  assert.equal(rows.length, 1);
  for (const row of rows) {
    const [, name = ''] = /`([\w./-]+?)(?:\.test\.ts)?`/.exec(row[5]!) ?? [];
    assert.ok(existsSync(join(root, 'test/whatsapp/library', `${name}.test.ts`)), `${row[0]}: ${row[5]}`);
  }
});

/** Constants that only an implementation of SHA-1, SHA-256, AES, GHASH, ChaCha or X25519 contains. */
const primitives =
  /\b(0x67452301|0x6a09e667|0x428a2f98|0x63,\s*0x7c,\s*0x77|0xe1000000|0x61707865|12166[56]n?)\b|\b(ghash|galois|mixcolumns|keyexpansion|sbox|quarterround)\b/i;

test('cryptography is of node:crypto, the bridge and Baileys: no package and no primitive of another kind', () => {
  const others =
    /^(@noble\/|@stablelib\/|crypto-js|tweetnacl|libsodium|sodium|elliptic|aes-js|sjcl|curve25519|hash\.js|sha\.js|js-sha|node-forge|futoin-hkdf)/;
  for (const path of sources) {
    assert.deepEqual(
      importsOf(path).filter((specifier) => others.test(specifier)),
      [],
      path,
    );
    assert.doesNotMatch(textOf(path), primitives, path);
    // The two pads of HMAC.
    assert.ok(!(/0x36\b/.test(textOf(path)) && /0x5c\b/i.test(textOf(path))), `${path} has an HMAC of its own`);
  }
});

test('there is no import cycle', () => {
  const graph = new Map(
    sources.map((path) => [
      path,
      importsOf(path)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => localTarget(path, specifier)),
    ]),
  );
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(path), `cycle: ${[...trail, path].join(' -> ')}`);
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of sources) walk(path, []);
});

test('no folder holds more files than one can take in', () => {
  const folders = 'src,sandbox,integrations,dashboard,client,client-python,extension,bench,tools,test,examples';
  const all = globSync([`{${folders}}/**/*.{ts,tsx,js,mjs,py}`, 'docs/**/*.{md,json}'], {
    cwd: root,
    // The records of decisions are one row of pages, by number; the handlers one of files, by resource.
    exclude: ['**/node_modules/**', '**/dist/**', 'docs/decisions/**', 'src/http/handlers/**'],
  });
  const counts = Map.groupBy(all, (path) => dirname(path));
  assert.deepEqual(
    [...counts].filter(([, files]) => files.length > 25).map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  );
});

test('files are small', () => {
  const sizes = sources.map((path) => ({ path, lines: textOf(path).split('\n').length - 1 }));
  assert.deepEqual(
    sizes.filter(({ lines }) => lines > 300),
    [],
  );
  const sorted = sizes.map(({ lines }) => lines).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)]!;
  assert.ok(median <= 120, `the median is ${median} lines`);
});

test('no default export, no any, no environment outside config', () => {
  for (const path of sources) {
    const text = textOf(path);
    assert.doesNotMatch(text, /^export default/m, path);
    assert.doesNotMatch(text, /(:|as|<)\s*any\b/, path);
    if (!/^(integrations\/chatwoot\/)?src\/config\.ts$/.test(path)) assert.doesNotMatch(text, /process\.env/, path);
  }
});

test('every file begins with what it is', () => {
  for (const path of sources) assert.match(textOf(path), /^(#!.*\n)?\/\*\*/, path);
});

test('the lock file carries no download addresses', () => {
  assert.doesNotMatch(textOf('package-lock.json'), /"resolved": "https?:/);
});

test('the lock file knows every optional package, so that npm ci accepts it on every platform', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const missing = Object.values(packages)
    .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
    .filter((name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)));
  assert.deepEqual(missing, []);
});

test('each dependency is justified, by name, and counted', () => {
  const section = textOf('docs/internals/dependencies.md');
  const [running = '', developing = ''] = section.split('For development only');
  const named = (text: string): string[] =>
    [...text.matchAll(/^\|([^|]*`[^|]*)\|/gm)].flatMap(([, cell]) => cell!.match(/(?<=`)[^`,\s]+(?=`)/g) ?? []).sort();
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<string, object>;
  assert.deepEqual(named(running), Object.keys(dependencies!).sort());
  assert.deepEqual(named(developing), Object.keys(devDependencies!).sort());
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
  const installed = Object.entries(packages).filter(([path]) => path.includes('node_modules/'));
  const count = (names: object, all: number): string => {
    const direct = Object.keys(names).length;
    return `${direct} direct and ${all - direct} others`;
  };
  const developed = installed.filter(([, { dev }]) => dev === true).length;
  const counted = [count(dependencies!, installed.length - developed), count(devDependencies!, developed)];
  assert.ok(section.includes(`${counted[0]} to run (`), `to run: ${counted[0]}`);
  assert.ok(section.includes(`${counted[1]} to develop`), `to develop: ${counted[1]}`);
});
