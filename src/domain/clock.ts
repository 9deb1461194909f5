/** Time as a dependency, so that tests can control it. `cancel` is idempotent. */
export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `run` once after `ms`. The timer does not keep the process alive. */
  after(ms: number, run: () => void): Timer;
}
