/** Copies kept media for a backup, even while the service runs. */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename } from 'node:fs/promises';
import { join, relative } from 'node:path';

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

const unlessMissing = <T>(work: Promise<T>): Promise<T | null> =>
  work.catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });

/** Copies files the target lacks; kept files never change. Returns their number. */
export const copyKeptFiles = async (from: string, to: string): Promise<number> => {
  let copied = 0;
  for (const entry of (await unlessMissing(readdir(from, { recursive: true, withFileTypes: true }))) ?? []) {
    const { name, parentPath } = entry;
    const folder = join(to, relative(from, parentPath));
    const target = join(folder, name);
    if (!entry.isFile() || name.endsWith('.part') || existsSync(target)) continue;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draft = `${target}.part`;
    if ((await unlessMissing(copyFile(join(parentPath, name), draft).then(() => true))) === null) continue;
    await rename(draft, target);
    copied += 1;
  }
  return copied;
};
