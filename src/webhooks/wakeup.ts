/** Wakes a loop that sleeps; a signal that comes while the loop is awake ends its next sleep at once. */
import type { Clock } from '../domain/clock.ts';

export class Wakeup {
  readonly #clock: Clock;
  #signalled = false;
  #awake: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  signal(): void {
    this.#signalled = true;
    this.#awake?.();
  }

  /** Ends after `ms`, or at a signal. */
  async sleep(ms: number): Promise<void> {
    if (!this.#signalled) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.after(ms, resolve);
        this.#awake = () => {
          timer.cancel();
          resolve();
        };
      });
      this.#awake = null;
    }
    this.#signalled = false;
  }
}
