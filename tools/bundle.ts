#!/usr/bin/env node
/**
 * Bundles the service, the command line and the sandbox into a few files in `dist`, unless they are current, and fills Node's compile
 * cache: finding and reading 2,000 modules takes over a second at each start.
 */
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { counted } from './counted.ts';
import { built, builtFolder, compiledFolder, sourceOf } from '../src/cli/built.js';
import { thirdPartyLicences } from './licences.ts';

const root = join(import.meta.dirname, '..');

/** Native code and packages with files of their own; the rest are not installed. */
const apart = ['sharp', 'pg', 'jimp', 'link-preview-js', 'audio-decode', 'pg-native'];

const placeOf = (id: string): string => relative(root, id).split(sep).join('/');

/** Child processes and threads of the service are bundled too, and found beside it. */
const entries = {
  service: 'src/cli/service.ts',
  handset: 'src/cli/handset.ts',
  sandbox: 'sandbox/src/main.ts',
  health: 'src/cli/health.ts',
  images: 'src/whatsapp/media/media-child.ts',
  checkpoints: 'src/store/sqlite/checkpoint-worker.ts',
  large: 'src/whatsapp/signal/large-message-worker.ts',
};

/** The bundled file of an entry, by the specifier of its importer. */
const beside = (path: string, specifier: string): string | null => {
  const source = join(dirname(path), specifier).split(sep).join('/');
  const found = Object.entries(entries).find(([, entry]) => entry === source);
  return found === undefined ? null : `./${found[0]}.js`;
};

/** Keeps paths relative to a source file valid in the bundle. */
const keepPlaces = (code: string, id: string): string | null => {
  const path = placeOf(id);
  if (!path.startsWith('src/') || !code.includes('import.meta.')) return null;
  const targets = { dirname: dirname(path), filename: path };
  return code
    .replaceAll(
      /new URL\('([^']+\.ts)', import\.meta\.url\)/g,
      (_, specifier: string) => `new URL('${beside(path, specifier) ?? specifier}', import.meta.url)`,
    )
    .replaceAll(
      /import\.meta\.(dirname|filename)/g,
      (_, name: keyof typeof targets) => `(import.meta.dirname + ${JSON.stringify(`/../${targets[name]}`)})`,
    );
};

const undici = join(root, 'node_modules/undici/lib');

/** The used part of undici: its index also loads `fetch`, WebSockets and mocks. */
const partOfUndici = `
  import Dispatcher from ${JSON.stringify(join(undici, 'dispatcher/dispatcher.js'))};
  import Agent from ${JSON.stringify(join(undici, 'dispatcher/agent.js'))};
  import api from ${JSON.stringify(join(undici, 'api/index.js'))};
  import buildConnector from ${JSON.stringify(join(undici, 'core/connect.js'))};
  import errors from ${JSON.stringify(join(undici, 'core/errors.js'))};
  Object.assign(Dispatcher.prototype, api);
  export { Agent, buildConnector, errors };`;

/** Names that Baileys imports from libsignal; none is called (`src/whatsapp/library/process.ts`, `src/whatsapp/signal`). */
const namesOfLibsignal = [
  'PreKeyWhisperMessage',
  'ProtocolAddress',
  'SessionBuilder',
  'SessionCipher',
  'SessionRecord',
  'calculateAgreement',
  'calculateMAC',
  'calculateSignature',
  'decrypt',
  'deriveSecrets',
  'encrypt',
  'generateKeyPair',
  'verifySignature',
];

/** libsignal is GPL-3.0, which the bundle must not contain. */
const noLibsignal = `
  const missing = () => { throw new Error('libsignal is not part of this bundle'); };
  ${namesOfLibsignal.map((name) => `export const ${name} = missing;`).join('\n')}`;

const replaced: Readonly<Record<string, string>> = { '\0undici': partOfUndici, '\0libsignal': noLibsignal };

const parts = {
  name: 'parts',
  resolveId: (id: string): string | null =>
    id === 'undici' ? '\0undici' : /^libsignal(\/|$)/.test(id) ? '\0libsignal' : null,
  load: (id: string): string | null => replaced[id] ?? null,
};

/** An import at the start of a bundled file. */
const importStatement = /import(?: ([\w$]+),?)?(?:\*as ([\w$]+)|\{([^}]*)\})? ?from"([^"]+)";|import"[^"]+";/y;

/**
 * Loads Node's modules without `import`, which reads every export of a module: for `node:http` that includes a WebSocket and loads a
 * second HTTP client that nobody uses.
 */
const takeBuiltins = (code: string): string => {
  const kept: string[] = [];
  const taken: string[] = [];
  importStatement.lastIndex = 0;
  let at = 0;
  for (let found = importStatement.exec(code); found !== null; found = importStatement.exec(code)) {
    at = importStatement.lastIndex;
    const [statement, base, space, names, from = ''] = found;
    if (!isBuiltin(from)) {
      kept.push(statement);
      continue;
    }
    // A bundled file may have a `process` of its own, imported from `node:process`.
    const value = `globalThis.process.getBuiltinModule("${from}")`;
    for (const name of [base, space]) if (name !== undefined) taken.push(`const ${name}=${value};`);
    if (names !== undefined) taken.push(`const{${names.replaceAll(/ as /g, ':')}}=${value};`);
  }
  return [...kept, ...taken, code.slice(at)].join('');
};

/** Any other character makes V8 store the whole file with two bytes per character. Escapes are equivalent in strings, templates and expressions. */
const inAscii = (code: string): string =>
  code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const bundle = async (): Promise<void> => {
  const { rolldown } = await import('rolldown');
  rmSync(builtFolder, { recursive: true, force: true });
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)])),
    platform: 'node',
    external: [/^node:/, ...apart],
    plugins: [parts, { name: 'places', transform: keepPlaces }],
    onLog: () => undefined,
  });
  // Removing whitespace saves a quarter; names are kept, so that errors show where they occurred.
  const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } };
  await build.write({ dir: builtFolder, format: 'esm', minify });
  for (const name of globSync('*.js', { cwd: builtFolder })) {
    const path = join(builtFolder, name);
    writeFileSync(path, inAscii(takeBuiltins(readFileSync(path, 'utf8'))));
  }
  const files = (await build.watchFiles).map(placeOf);
  writeFileSync(join(builtFolder, 'third-party-licences.txt'), thirdPartyLicences(files));
  const own = files.filter((path) => /^(src|sandbox)\//.test(path));
  const sources = [...own, 'package-lock.json', 'tools/bundle.ts'];
  writeFileSync(join(builtFolder, 'sources.json'), JSON.stringify(sources.map(sourceOf)));
};

/** One start, which compiles what a start needs. */
const warm = (): Promise<void> =>
  new Promise((resolve) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'handset-build-'));
    const service = spawn(process.execPath, [join(root, 'src/cli/serve.js')], {
      env: {
        PATH: process.env['PATH'],
        HANDSET_PORT: '0',
        HANDSET_HOST: '127.0.0.1',
        HANDSET_DATA_DIR: dataDir,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const enough = setTimeout(() => service.kill('SIGKILL'), 60_000);
    service.stdout.on('data', (text: Buffer) => text.includes('Handset listens') && service.kill('SIGTERM'));
    service.once('close', () => {
      clearTimeout(enough);
      rmSync(dataDir, { recursive: true, force: true });
      // The cache is readable for everybody who can read the bundle.
      for (const path of globSync('**/*', { cwd: compiledFolder, withFileTypes: true })) {
        if (path.isFile()) chmodSync(join(path.parentPath, path.name), 0o644);
      }
      resolve();
    });
  });

/** Node keeps a compile cache per user: a service under another user finds it at this place. */
const share = (user: string): void => {
  const own = String(process.getuid?.());
  for (const name of readdirSync(compiledFolder)) {
    if (!name.endsWith(`-${own}`) || user === own) continue;
    cpSync(join(compiledFolder, name), join(compiledFolder, name.slice(0, -own.length) + user), { recursive: true });
  }
};

const { values } = parseArgs({
  options: {
    /** Builds even if the files are current. */
    force: { type: 'boolean', default: false },
    /** Fails if it cannot build. */
    required: { type: 'boolean', default: false },
    /** Number of the user that will run the service, if it is another one. */
    'for-user': { type: 'string' },
  },
});
const user = values['for-user'];

if (built('service') === null || values.force || user !== undefined) {
  try {
    if (built('service') === null || values.force) {
      await counted('Building the service, once', async () => {
        await bundle();
        await warm();
      });
    }
    if (user !== undefined) share(user);
  } catch (error) {
    // An installation without development packages only starts more slowly.
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`The service could not be bundled and starts from its sources: ${why}\n`);
    if (values.required) process.exitCode = 1;
  }
}
