/** Peak memory of a process during some work; only Linux reports it. */
import { readFile, writeFile } from 'node:fs/promises';

const mebibytes = async (pid: number, line: string): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
};

/** MB above the memory before; null if the system does not report it. */
export const peakDuring = async (pid: number, work: () => Promise<unknown>): Promise<number | null> => {
  try {
    // Resets the peak.
    await writeFile(`/proc/${pid}/clear_refs`, '5');
  } catch {
    return null;
  }
  const before = await mebibytes(pid, 'VmRSS');
  await work();
  return (await mebibytes(pid, 'VmHWM')) - before;
};
