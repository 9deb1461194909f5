/** Time as a dependency, so that tests control it. `cancel` is idempotent. */
export interface Timer {
  cancel(): void;
}

export interface Clock {
  now(): number;
  /** Does not keep the process alive. */
  after(ms: number, run: () => void): Timer;
}
