/**
 * The programs as bundled by `tools/bundle.ts`, which load in a fraction of the time of their sources. An installed package has only
 * these. This file is JavaScript because stripping the types of a first file costs a tenth of the start.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { constants, enableCompileCache } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

export const builtFolder = join(root, 'dist');
/** Node's compile cache of the bundle. */
export const compiledFolder = join(builtFolder, 'compiled');

/** @typedef {{ readonly path: string, readonly mtimeMs: number, readonly sha256: string }} Source */

/**
 * @param {string} path
 * @returns {Source}
 */
export const sourceOf = (path) => {
  const file = join(root, path);
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  return { path, mtimeMs: statSync(file).mtimeMs, sha256 };
};

/**
 * Compares content if the times differ, as in a copied folder.
 * @param {Source} source
 */
const isUnchanged = (source) =>
  statSync(join(root, source.path)).mtimeMs === source.mtimeMs || sourceOf(source.path).sha256 === source.sha256;

const isCurrent = () => {
  // In an installed package, which has no sources.
  if (!existsSync(join(import.meta.dirname, 'service.ts'))) return true;
  try {
    /** @type {Source[]} */
    const sources = JSON.parse(readFileSync(join(builtFolder, 'sources.json'), 'utf8'));
    return sources.every(isUnchanged);
  } catch {
    return false;
  }
};

/**
 * Path of a bundled program; null if there is none or it was built from other sources.
 * @param {'service' | 'handset'} name
 * @returns {string | null}
 */
export const built = (name) => (isCurrent() ? join(builtFolder, `${name}.js`) : null);

/** Turns on the compile cache: in the bundle's folder, or in the user's own if that is not writable. */
export const rememberCompiled = () => {
  const found = enableCompileCache(existsSync(builtFolder) ? compiledFolder : undefined);
  if (found.status === constants.compileCacheStatus.FAILED) enableCompileCache();
};
