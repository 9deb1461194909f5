/** The secret everything at rest is sealed with: given, or made at the first start and kept in the data folder. */
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sync, writeSynced } from '../base/durable-files.ts';

const fileName = 'secret';

const minLength = 32;

/** Guessable: each sealed value of a stolen file confirms a right guess. */
export const isWeak = (secret: string): boolean => secret.length < minLength;

const makeOne = 'make one with "openssl rand -base64 32"';

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

/** Atomic: losing it after its first use would make the data unreadable. */
const makeSecret = (dataDir: string, path: string): string => {
  const secret = randomBytes(32).toString('base64url');
  const draft = join(dataDir, `${fileName}.${process.pid}.new`);
  writeSynced(draft, secret);
  linkSync(draft, path);
  rmSync(draft);
  sync(dataDir);
  return secret;
};

/** `given` wins. A file is made only for `fresh` data: a new secret opens nothing old. */
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
