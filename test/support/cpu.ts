/** CPU time of this thread during `work`, ms, which a busy machine does not lengthen. */
export const cpuMsOf = (work: () => void): number => {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};
