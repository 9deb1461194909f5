/** Time of the processor, which is the same on a busy machine. */

/** Limit of the time that a hostile text takes beyond a harmless one, ms: so much longer do others wait. */
const maxMoreMs = 50;

const cpuMs = (work: () => void): number => {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};

/** Whether `work` takes much longer than `like`, at each of several tries: garbage is not collected in all of them. */
export const isSlower = (work: () => void, like: () => void): boolean => {
  let more = cpuMs(work);
  for (let tries = 0; tries < 4 && more > maxMoreMs; tries += 1) more = Math.min(more, cpuMs(work) - cpuMs(like));
  return more > maxMoreMs;
};
