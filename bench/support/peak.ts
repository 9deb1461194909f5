/** How much memory a process takes at its peak while something is done; Linux alone tells. */
import { readFile, writeFile } from 'node:fs/promises';

const mebibytes = async (pid: number, line: string): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
};

/** MB above what it takes before; null where the system does not tell. */
export const peakDuring = async (pid: number, work: () => Promise<unknown>): Promise<number | null> => {
  try {
    // From now on the peak counts anew.
    await writeFile(`/proc/${pid}/clear_refs`, '5');
  } catch {
    return null;
  }
  const before = await mebibytes(pid, 'VmRSS');
  await work();
  return (await mebibytes(pid, 'VmHWM')) - before;
};
