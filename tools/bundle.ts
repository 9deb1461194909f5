#!/usr/bin/env node
/**
 * Puts the service, the command line and the sandbox into a few files in `dist`, unless what is there was made from the present sources, and lets Node compile
 * them: 2,000 modules take over a second to find and read at each start.
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

/** Native code, and what brings files of its own; the rest are packages that are not installed. */
const apart = ['sharp', 'pg', 'jimp', 'link-preview-js', 'audio-decode', 'pg-native'];

const placeOf = (id: string): string => relative(root, id).split(sep).join('/');

/** Processes and threads of the service are in the bundle as well, and are found beside it. */
const entries = {
  service: 'src/cli/service.ts',
  handset: 'src/cli/handset.ts',
  sandbox: 'sandbox/src/main.ts',
  health: 'src/cli/health.ts',
  images: 'src/whatsapp/media/media-child.ts',
  checkpoints: 'src/store/sqlite/checkpoint-worker.ts',
};

/** The file of an entry, by its source as an importer names it. */
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

/** The part of undici that the service uses: its index also loads `fetch`, WebSockets and mocks. */
const partOfUndici = `
  import Dispatcher from ${JSON.stringify(join(undici, 'dispatcher/dispatcher.js'))};
  import Agent from ${JSON.stringify(join(undici, 'dispatcher/agent.js'))};
  import api from ${JSON.stringify(join(undici, 'api/index.js'))};
  import buildConnector from ${JSON.stringify(join(undici, 'core/connect.js'))};
  import errors from ${JSON.stringify(join(undici, 'core/errors.js'))};
  Object.assign(Dispatcher.prototype, api);
  export { Agent, buildConnector, errors };`;

/** Names that Baileys imports from libsignal; none is called (`src/whatsapp/engine/native-curve.ts`, `src/whatsapp/signal`). */
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

/** Its licence is the GPL-3.0, and the bundle is of ours. */
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

/** An import at the beginning of a file of the bundle. */
const importStatement = /import(?: ([\w$]+),?)?(?:\*as ([\w$]+)|\{([^}]*)\})? ?from"([^"]+)";|import"[^"]+";/y;

/**
 * Node's own modules without `import`, which makes a module of each and for that reads all that it has: of `node:http` a WebSocket too,
 * and so loads a second HTTP client that nobody uses.
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
    const value = `process.getBuiltinModule("${from}")`;
    for (const name of [base, space]) if (name !== undefined) taken.push(`const ${name}=${value};`);
    if (names !== undefined) taken.push(`const{${names.replaceAll(/ as /g, ':')}}=${value};`);
  }
  return [...kept, ...taken, code.slice(at)].join('');
};

/**
 * A file with any other character is two bytes for each of its millions of characters in memory. An escape says the same in a string, a
 * template or an expression.
 */
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
  // Without its blanks a quarter is gone, and with its names an error still tells where it was.
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

/** One start, so that what a start needs is there compiled. */
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
      // Whoever may read the bundle may read this.
      for (const path of globSync('**/*', { cwd: compiledFolder, withFileTypes: true })) {
        if (path.isFile()) chmodSync(join(path.parentPath, path.name), 0o644);
      }
      resolve();
    });
  });

/** Node keeps what it has compiled for each user apart: a service under a user of its own finds it where it looks. */
const share = (user: string): void => {
  const own = String(process.getuid?.());
  for (const name of readdirSync(compiledFolder)) {
    if (!name.endsWith(`-${own}`) || user === own) continue;
    cpSync(join(compiledFolder, name), join(compiledFolder, name.slice(0, -own.length) + user), { recursive: true });
  }
};

const { values } = parseArgs({
  options: {
    /** Made even if what is there is of the present sources. */
    force: { type: 'boolean', default: false },
    /** Fails where it cannot be made. */
    required: { type: 'boolean', default: false },
    /** The number of the user that the service will run as, where that is another one. */
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
    // The service is whole without it, and only slower to start: an installation without its development packages.
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`The service could not be bundled and starts from its sources: ${why}\n`);
    if (values.required) process.exitCode = 1;
  }
}
