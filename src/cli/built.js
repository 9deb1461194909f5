/**
 * The programs as `tools/bundle.ts` has put them into few files, which load in a fraction of the time that their sources take. An installed
 * package has only these. JavaScript, for what takes the types out of a first file costs a tenth of a whole start.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { constants, enableCompileCache } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

export const builtFolder = join(root, 'dist');
/** Node's compile cache of the bundle. */
export const compiledFolder = join(builtFolder, 'compiled');

/**
 * A file that the bundle was made from.
 * @typedef {{ readonly path: string, readonly mtimeMs: number, readonly sha256: string }} Source
 */

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
 * A copy of the folder has other times and the same content.
 * @param {Source} source
 */
const isUnchanged = (source) =>
  statSync(join(root, source.path)).mtimeMs === source.mtimeMs || sourceOf(source.path).sha256 === source.sha256;

const isCurrent = () => {
  // An installed package.
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
 * A program's file in the bundle; null where there is none, or one that was made from other sources than those that are here.
 * @param {'service' | 'handset'} name
 * @returns {string | null}
 */
export const built = (name) => (isCurrent() ? join(builtFolder, `${name}.js`) : null);

/** The second start finds everything compiled: in the bundle's folder, or in the user's own where this one cannot be written. */
export const rememberCompiled = () => {
  const found = enableCompileCache(existsSync(builtFolder) ? compiledFolder : undefined);
  if (found.status === constants.compileCacheStatus.FAILED) enableCompileCache();
};
