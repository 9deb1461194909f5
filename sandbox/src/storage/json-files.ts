/** JSON files that are there whole or not at all. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates the folder and those above it, for this user alone. Level by level, since the recursive form of Node 24 never returns where the file
 * system takes no folders, as in /proc.
 */
export const makeFolder = async (path: string): Promise<void> => {
  if (existsSync(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    // Somebody else was faster.
    if (!existsSync(path)) throw new Error(`the folder ${path} cannot be made`, { cause: error });
  });
};

/** Null when there is no such file. */
export const readJson = async (path: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new Error(`${path} cannot be read`, { cause: error });
  }
};

/** Writes beside the file, then puts it in its place: a reader sees the old one or the new one. */
export const writeJson = async (path: string, json: string): Promise<void> => {
  await makeFolder(dirname(path));
  const part = `${path}.${randomUUID()}.part`;
  try {
    const file = await open(part, 'w', 0o600);
    try {
      await file.writeFile(json);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
};
