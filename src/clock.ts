/** The system clock; tests use another. */
import type { Clock } from './domain/clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    // Node fires at once if the delay does not fit into 31 bits.
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), 2_147_483_647));
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
