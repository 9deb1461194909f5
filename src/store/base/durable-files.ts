/** Creates files and folders durably: they are on disk when the call returns. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** One level at a time: the recursive form of Node 24 never returns if folders are refused and the parent reported missing, as in /proc. */
export const makeFolder = (path: string): void => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === false) throw new Error(`${path} is a file, not a folder`);
  if (found !== undefined) return;
  const parent = dirname(path);
  makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (existsSync(path)) return;
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    throw new Error(`the folder ${path} cannot be made: ${parent} takes no folders`, { cause: error });
  }
  sync(parent);
};

export const sync = (path: string): void => {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
};

export const writeSynced = (path: string, line: string): void => {
  const file = openSync(path, 'w', 0o600);
  writeSync(file, `${line}\n`);
  fsyncSync(file);
  closeSync(file);
};
