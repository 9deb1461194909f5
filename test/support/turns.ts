/** Longest turn of the event loop, in CPU time, which does not depend on the load of the machine. */

const lookMs = 5;

export interface Turns extends Disposable {
  /** Milliseconds of the longest one since the last call. */
  longestMs(): number;
}

export const watchTurns = (): Turns => {
  let longest = 0;
  let before = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
  };
  const timer = setInterval(look, lookMs).unref();
  return {
    longestMs() {
      look();
      const found = longest;
      longest = 0;
      return found;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
};
