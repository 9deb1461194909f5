/** Licences of the packages whose code is in the bundle, which must be distributed with it. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

const entryOf = (folder: string): string => {
  const {
    name,
    version,
    license = 'see its text',
  } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
  const texts = globSync('{LICEN[CS]E,licen[cs]e,COPYING}*', { cwd: join(root, folder) })
    .sort()
    .map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts].join('\n\n');
};

/** `files`: paths of the bundled sources. */
export const thirdPartyLicences = (files: readonly string[]): string => {
  const folders = new Set(files.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  return `${[...folders]
    .sort()
    .map(entryOf)
    .join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
};
