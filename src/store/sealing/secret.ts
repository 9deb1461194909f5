/** The secret that everything at rest is sealed with: given, or made at the first start and kept in the data folder. */
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sync, writeSynced } from '../base/durable-files.ts';

const fileName = 'secret';

const minLength = 32;

/** Short enough to be guessed, since each sealed value of a stolen file confirms a right guess. */
export const isWeak = (secret: string): boolean => secret.length < minLength;

const makeOne = 'make one with "openssl rand -base64 32"';

/** New data is sealed with a strong secret only. */
export const tooWeak = (name: string): Error =>
  new Error(`${name} must have at least ${minLength} characters: ${makeOne}`);

const readSecret = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};

/** Writes the secret atomically: losing it after its first use would make the data unreadable. */
const makeSecret = (dataDir: string, path: string): string => {
  const secret = randomBytes(32).toString('base64url');
  const draft = join(dataDir, `${fileName}.${process.pid}.new`);
  writeSynced(draft, secret);
  linkSync(draft, path);
  rmSync(draft);
  sync(dataDir);
  return secret;
};

/**
 * `given` wins; the text of the file may be given as it is, so a secret can move out of the data folder.
 * A file is made only where there is `fresh` data: a new secret for old data would open nothing.
 */
export const loadSecret = (dataDir: string, given: string | null, fresh: boolean): string => {
  if (given !== null) {
    if (fresh && isWeak(given)) throw tooWeak('HANDSET_SECRET');
    return given;
  }
  const path = join(dataDir, fileName);
  const kept = readSecret(path);
  if (kept === '') throw new Error(`The secret file ${path} is empty`);
  if (kept !== null) return kept;
  if (!fresh)
    throw new Error(
      `The data in ${dataDir} is sealed, and its secret is missing: set HANDSET_SECRET or restore ${path}`,
    );
  return makeSecret(dataDir, path);
};
