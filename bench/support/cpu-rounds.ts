/** CPU time of work, round by round: the first ones show what the compiler takes. */

const rounds = 5;

/** CPU microseconds for each of `count`, of the main thread or of all. */
export const inRounds = async (
  what: string,
  { count, main }: { readonly count: number; readonly main: boolean },
  work: () => Promise<unknown>,
): Promise<void> => {
  const usage = main ? process.threadCpuUsage : process.cpuUsage;
  const each: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = usage();
    await work();
    const { user, system } = usage();
    each.push(String(Math.round((user + system - before.user - before.system) / count)).padStart(6));
  }
  console.log(`${what.padEnd(48)}${each.join('')} us`);
};
