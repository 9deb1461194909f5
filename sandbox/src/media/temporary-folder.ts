/** A folder among the system's temporary ones, for as long as this process lives. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'sandbox-media-';
const named = /^sandbox-media-(\d{1,10})-[A-Za-z0-9]{6}$/;

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
};

/** In a container each start has the same process id. */
const isFormer = async (path: string, pid: number): Promise<boolean> =>
  pid === process.pid ? (await stat(path)).mtimeMs < performance.timeOrigin : !lives(pid);

const remove = async (path: string, pid: number): Promise<void> => {
  if (await isFormer(path, pid)) await rm(path, { recursive: true, force: true });
};

/** Removes those of processes that were killed. */
export const temporaryFolder = async (): Promise<string> => {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = named.exec(name) ?? [];
    // Somebody else's, or gone by now.
    if (pid !== undefined) await remove(join(tmpdir(), name), Number(pid)).catch(() => null);
  }
  return mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
};
