/** Turns of the event loop: for how long nobody else was served, in time of the processor, which is the same on a busy machine. */

const lookMs = 5;

export interface Turns extends Disposable {
  /** Milliseconds of the longest one since the last question. */
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
