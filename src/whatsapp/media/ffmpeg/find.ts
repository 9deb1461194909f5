/** Finds ffmpeg, which is optional: on the path, or at the configured place. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

export const findFfmpeg = (setting: string | null, path: string): string | null => {
  if (setting === 'none') return null;
  if (setting !== null) {
    if (isProgram(setting)) return setting;
    throw new Error(`HANDSET_FFMPEG must be the path of a program, or none; it is "${setting}"`);
  }
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'ffmpeg')).find(isProgram) ?? null;
};
