#!/usr/bin/env node
/** Builds the dashboard and the API reference into `dashboard/dist`, unless the last build is newer than its sources. */
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { counted } from '../tools/counted.ts';
import { zip } from './zip.ts';

const root = import.meta.dirname;
const page = join(root, 'dist', 'index.html');
const pages = ['index.html', 'docs.html'].map((name) => join(root, name));

const extension = join(root, '..', 'extension');

const extensionFiles = (): readonly string[] =>
  globSync('*.*', { cwd: extension }).map((name) => join(extension, name));

/** The inputs of the build. The lock file stands for its packages. */
const sources = (): readonly string[] => [
  ...globSync('src/**/*.{ts,tsx,css,svg}', { cwd: root }).map((path) => join(root, path)),
  ...pages,
  ...['http.md', 'webhooks.md'].map((name) => join(root, '..', 'docs', name)),
  join(root, 'build.ts'),
  join(root, 'zip.ts'),
  ...extensionFiles(),
  join(root, '..', 'package-lock.json'),
];

const isFresh = (): boolean => {
  if (!existsSync(page)) return false;
  const built = statSync(page).mtimeMs;
  return sources().every((path) => !existsSync(path) || statSync(path).mtimeMs <= built);
};

const build = async (): Promise<void> => {
  const vite = await import('vite');
  await vite.build({
    root,
    configFile: false,
    // Relative, so that the pages work below any path.
    base: './',
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic' } },
    build: {
      target: 'es2022',
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: pages },
    },
  });
  const files = extensionFiles().map((path) => ({ name: basename(path), bytes: readFileSync(path) }));
  writeFileSync(join(root, 'dist', 'passkey-extension.zip'), zip('handset-passkey', files));
};

if (!isFresh() || process.argv.includes('--force')) {
  try {
    await counted('Building the dashboard, once', build);
  } catch (error) {
    // The service runs without it, for instance without development packages or on a read-only file system.
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`The dashboard could not be built, the service runs without a new one: ${why}\n`);
    if (process.argv.includes('--required')) process.exitCode = 1;
  }
}
