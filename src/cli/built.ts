/** The service as `tools/bundle.ts` has put it into few files, which load in a fraction of the time that its sources take. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

export const builtFolder = join(root, 'dist');
/** Node's compile cache of the bundle. */
export const compiledFolder = join(builtFolder, 'compiled');

/** A file that the bundle was made from. */
export interface Source {
  readonly path: string;
  readonly mtimeMs: number;
  readonly sha256: string;
}

export const sourceOf = (path: string): Source => {
  const file = join(root, path);
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  return { path, mtimeMs: statSync(file).mtimeMs, sha256 };
};

const isSource = (value: unknown): value is Source =>
  typeof value === 'object' && value !== null && 'path' in value && 'mtimeMs' in value && 'sha256' in value;

/** A copy of the folder has other times and the same content. */
const isUnchanged = (source: Source): boolean =>
  statSync(join(root, source.path)).mtimeMs === source.mtimeMs || sourceOf(source.path).sha256 === source.sha256;

/** The bundle's entry; null where there is none, or one that was made from other sources than those that are here. */
export const builtService = (): string | null => {
  try {
    const sources: unknown = JSON.parse(readFileSync(join(builtFolder, 'sources.json'), 'utf8'));
    const present = Array.isArray(sources) && sources.every((source) => isSource(source) && isUnchanged(source));
    return present ? join(builtFolder, 'service.js') : null;
  } catch {
    return null;
  }
};
