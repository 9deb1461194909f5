/** Time of the processor, which a busy machine does not lengthen. */

/** Milliseconds of this thread that `work` takes. */
export const cpuMsOf = (work: () => void): number => {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};
