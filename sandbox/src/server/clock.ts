/** Time as the sandbox sees it; a test may bring its own. */

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  after(ms: number, run: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

let second = 0;
let written = '0';

/** Seconds since the Unix epoch, as stanzas carry them. Written once, since all stanzas of a second ask for it. */
export const seconds = (clock: Clock): string => {
  const now = Math.floor(clock.now() / 1000);
  if (now !== second) {
    second = now;
    written = String(now);
  }
  return written;
};
