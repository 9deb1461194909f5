/** The sandbox's clock; tests may bring their own. */

export interface Timer {
  cancel(): void;
}

export interface Clock {
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

/** Seconds since the Unix epoch, as stanzas carry them. */
export const seconds = (clock: Clock): string => String(Math.floor(clock.now() / 1000));
