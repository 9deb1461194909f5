/** Files and folders that are on disk once the call has returned. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates the folder and its parents durably: they survive a power cut. One level at a time, since the
 * recursive form of Node 24 never returns if the file system refuses new folders and reports that the parent is missing, as /proc does.
 */
export const makeFolder = (path: string): void => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === false) throw new Error(`${path} is a file, not a folder`);
  if (found !== undefined) return;
  const parent = dirname(path);
  makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process created it first.
    if (existsSync(path)) return;
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    throw new Error(`the folder ${path} cannot be made: ${parent} takes no folders`, { cause: error });
  }
  sync(parent);
};

/** Flushes a file, or the entries of a folder. */
export const sync = (path: string): void => {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
};

/** Writes a line to a file that only its owner can read. */
export const writeSynced = (path: string, line: string): void => {
  const file = openSync(path, 'w', 0o600);
  writeSync(file, `${line}\n`);
  fsyncSync(file);
  closeSync(file);
};
