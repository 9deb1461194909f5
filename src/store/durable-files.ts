/** Files and folders that are on the disk once the call has returned. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** Flushes a file, or the entries of a folder. */
export const sync = (path: string): void => {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
};

/** Writes a line to a file for its owner alone. */
export const writeSynced = (path: string, line: string): void => {
  const file = openSync(path, 'w', 0o600);
  writeSync(file, `${line}\n`);
  fsyncSync(file);
  closeSync(file);
};
