#!/usr/bin/env node
/**
 * Bundles the packages that most tests load into a few files, unless present: otherwise each of some 300 processes would find and read
 * 2,000 modules. Without the bundle the tests load the packages themselves (`test/support/packages.ts`).
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type RolldownPluginOption, rolldown } from 'rolldown';
import { manifestName, packagesFolder, readManifest } from '../test/support/packages.ts';
import { absent } from './test-children.ts';

const root = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);

/** Packages with every import in the repository bundled. */
const modules = ['baileys', 'kysely', 'typebox'];
/** CommonJS packages, whose exports are found by loading them. */
const older = ['fastify', 'prom-client', 'qrcode', 'selfsigned', 'undici'];
/** Native code, packages that start threads from their files, and those patched or compared across modules. */
const apart = [/^node:/, /^(libsignal|protobufjs)(\/|$)/, 'pino', 'sharp', 'whatsapp-rust-bridge', 'ws'];

const imported = (): string[] => {
  const names = new Set<string>();
  for (const path of globSync('{src,sandbox,test,bench}/**/*.ts', { cwd: root }))
    for (const [, name = ''] of readFileSync(join(root, path), 'utf8').matchAll(/(?:from |import\()'([^.'][^']*)'/g))
      if (modules.some((known) => name === known || name.startsWith(`${known}/`))) names.add(name);
  return [...names];
};

const mark = '\0older:';

/** Re-exports everything such a package exports. */
const olderPackages: RolldownPluginOption = {
  name: 'older packages',
  resolveId: (id) => (older.includes(id) ? mark + id : null),
  load(id) {
    if (!id.startsWith(mark)) return null;
    const name = id.slice(mark.length);
    const names = Object.keys(require(name) as object).filter(
      (key) => key !== 'default' && /^[a-z_$][\w$]*$/i.test(key),
    );
    const exported = names.map(
      (key, at) => `const n${at} = whole[${JSON.stringify(key)}]; export { n${at} as ${key} };`,
    );
    return `import whole from ${JSON.stringify(require.resolve(name))}; export default whole; ${exported.join(' ')}`;
  },
};

const fileOf = (name: string): string => name.replaceAll(/[^\w-]/g, '_');

const names = [...imported(), ...older];
const made = readManifest() ?? {};

if (!names.every((name) => name in made)) {
  try {
    const build = await rolldown({
      input: Object.fromEntries(names.map((name) => [fileOf(name), name])),
      cwd: root,
      platform: 'node',
      external: [...apart, ...absent],
      plugins: [olderPackages],
      onLog: () => undefined,
    });
    // Running tests keep using the files they have found.
    const folder = createHash('sha256').update(names.join()).digest('hex').slice(0, 16);
    const dir = join(packagesFolder, folder);
    await build.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[hash].mjs' });
    const manifest = Object.fromEntries(names.map((name) => [name, `${folder}/${fileOf(name)}.mjs`]));
    const written = join(packagesFolder, `${manifestName}.${process.pid}`);
    writeFileSync(written, JSON.stringify(manifest));
    renameSync(written, join(packagesFolder, manifestName));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`The packages of the tests could not be bundled, and are loaded as they are: ${why}\n`);
  }
}
