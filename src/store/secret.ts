/** The secret that everything at rest is sealed with: given, or made at the first start and kept in the data folder. */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const fileName = 'secret';

const readSecret = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};

/** Written whole or not at all: a secret that is lost after it was used makes the data unreadable. */
const makeSecret = (dataDir: string, path: string): string => {
  const secret = randomBytes(32).toString('base64url');
  const draft = join(dataDir, `${fileName}.${process.pid}.new`);
  const file = openSync(draft, 'w', 0o600);
  writeSync(file, `${secret}\n`);
  fsyncSync(file);
  closeSync(file);
  linkSync(draft, path);
  rmSync(draft);
  const folder = openSync(dataDir, 'r');
  fsyncSync(folder);
  closeSync(folder);
  return secret;
};

/**
 * `given` wins; the text of the file may be given as it is, so a secret can move out of the data folder.
 * A file is made only where there is `fresh` data: a new secret for old data would open nothing.
 */
export const loadSecret = (dataDir: string, given: string | null, fresh: boolean): string => {
  if (given !== null) return given;
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
