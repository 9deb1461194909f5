#!/usr/bin/env node
/**
 * `npm run try:install`: packs the packages, checks what is in them, installs them with npm into an empty folder, as a newcomer does, and goes to
 * a first text with nothing else: as the user that runs this, and where that is root, as another one too. Prints how long each took; fails above a minute.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { version } from '../../src/config.ts';
import { type Packages, packAll, sendFirstText, textOf } from '../support/packed.ts';

const run = promisify(execFile);
const nobody = 65_534;

/** Paths in each package: what is built, the licence, and nothing that only develops. */
const mayHold: Readonly<Record<keyof Packages, RegExp>> = {
  handset:
    /^(package\.json|LICENSE|README\.md|SECURITY\.md|dist\/[\w.-]+\.js|dist\/third-party-licences\.txt|dashboard\/dist\/.+\.(html|js|css|svg|zip)|src\/cli\/\w+\.js|docs\/((clients|help|internals|spec|decisions)\/)?[\w-]+\.md|docs\/(grafana|examples\/[\w-]+)\.json)$/,
  client: /^(package\.json|LICENSE|README\.md|dist\/(cjs\/package\.json|(cjs\/)?\w+(\.d\.ts|\.js)))$/,
  sandbox: /^(package\.json|LICENSE|README\.md|dist\/[\w/-]+(\.d\.ts|\.js))$/,
};

const checkContents = ({ handset, client, sandbox }: Packages): void => {
  for (const [name, { files, manifest }] of Object.entries({ handset, client, sandbox })) {
    const strange = files.filter((path) => !mayHold[name as keyof Packages].test(path));
    assert.deepEqual(strange, [], name);
    for (const path of ['LICENSE', 'README.md']) assert.ok(files.includes(path), `${name}: ${path}`);
    assert.deepEqual([manifest.version, manifest.license], [version, 'MIT'], name);
    for (const step of ['preinstall', 'install', 'postinstall']) assert.equal(manifest.scripts?.[step], undefined);
  }
  // Its code is in the bundle, and a GPL package is among theirs.
  assert.deepEqual(Object.keys(handset.manifest.dependencies).sort(), ['pg', 'sharp']);
  assert.equal(handset.manifest.devDependencies, undefined);
};

/** Licences of the code in the bundle. */
const checkLicences = async (installed: string): Promise<void> => {
  const licences = await textOf(installed, 'dist/third-party-licences.txt');
  for (const name of ['baileys', 'fastify', 'kysely', 'mediabunny']) {
    assert.match(licences, new RegExp(`^${name} \\d[\\d.a-z-]* \\(.+\\)\\n\\n.*\\S`, 'm'), name);
  }
};

/** Starts the sandbox as a program that imports it does, and imports the client. */
const importing = `
  import { createHandset } from '@handset/client';
  import { startSandbox } from '@handset/sandbox';
  const sandbox = await startSandbox({});
  const response = await fetch(sandbox.controlUrl + '/phones');
  console.log(response.status, typeof createHandset({ url: 'http://127.0.0.1:1', key: 'hs_' }).messages.sendText);
  await sandbox.close();
  process.exit();`;

/** A strict program of TypeScript: the second of its calls must not compile. */
const typed = `
  import { createHandset, type Message, unwrap } from '@handset/client';
  const handset = createHandset({ url: 'http://127.0.0.1:1', key: 'hs_' });
  export const name = async (): Promise<string> => (await unwrap(handset.GET('/me'))).user.name;
  export const textOf = ({ text }: Message): string | null => text;
  export const unread = () => handset.chats.list({ id: 1, unread: true });
  // @ts-expect-error -- a boolean is no text
  export const wrong = () => handset.chats.list({ id: 1, unread: 'true' });
  console.log(typeof handset.messages.sendText);`;

/** Compiles and runs it as a project of each module system does. */
const checkTypes = async (installed: string): Promise<void> => {
  const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
  for (const type of ['commonjs', 'module']) {
    const project = join(installed, type);
    await mkdir(project);
    await writeFile(join(project, 'package.json'), JSON.stringify({ type }));
    await writeFile(join(project, 'program.ts'), typed);
    for (const module of ['node16', 'nodenext', ...(type === 'commonjs' ? ['commonjs'] : [])]) {
      const options = ['--ignoreConfig', '--strict', '--module', module, '--target', 'es2022', '--lib', 'es2022,dom'];
      await run(tsc, [...options, 'program.ts'], { cwd: project });
      const ran = await run(process.execPath, ['program.js'], { cwd: project });
      assert.equal(ran.stdout, 'function\n', `${type}, ${module}`);
    }
  }
};

const folder = await mkdtemp(join(tmpdir(), 'handset-install-'));
try {
  const packages = await packAll(folder);
  checkContents(packages);
  const tarballs = Object.values(packages).map(({ tarball }) => tarball);
  const users = process.getuid?.() === 0 ? [undefined, nobody] : [undefined];
  for (const uid of users) {
    const began = performance.now();
    const empty = join(folder, uid === undefined ? 'own' : 'other');
    await mkdir(empty);
    await run('npm', ['install', '--no-audit', '--no-fund', ...tarballs], { cwd: empty });
    const installed = performance.now();
    const program = join(empty, 'node_modules', '.bin', 'handset');
    // A folder of its own, as after an installation for all users.
    const place = join(empty, 'place');
    await mkdir(place);
    if (uid !== undefined) {
      await Promise.all([chown(folder, uid, uid), chown(place, uid, uid)]);
    }
    const shown = await sendFirstText(place, [program], uid);
    assert.match(shown, /4915550001111: Hello from Handset\n/);
    assert.ok(existsSync(join(place, 'data')), 'the data folder');
    const [installS, textS] = [installed - began, performance.now() - installed].map((ms) => (ms / 1000).toFixed(1));
    process.stdout.write(
      `${uid === undefined ? 'own user' : 'another user'}: installed in ${installS} s, first text ${textS} s later\n`,
    );
    assert.ok(performance.now() - began < 60_000, 'it took more than a minute');
  }
  const own = join(folder, 'own');
  await checkLicences(join(own, 'node_modules', packages.handset.manifest.name));
  const ran = await run(process.execPath, ['--input-type=module', '-e', importing], { cwd: own });
  assert.equal(ran.stdout, '200 function\n');
  await checkTypes(own);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
