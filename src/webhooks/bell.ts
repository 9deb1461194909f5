/** Wakes a loop that sleeps; rung while the loop is awake, it lets the next sleep end at once. */
import type { Clock } from '../domain/clock.ts';

export class Bell {
  readonly #clock: Clock;
  #rung = false;
  #awake: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#rung = true;
    this.#awake?.();
  }

  /** Ends after `ms`, or when it is rung. */
  async sleep(ms: number): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.after(ms, resolve);
        this.#awake = () => {
          timer.cancel();
          resolve();
        };
      });
      this.#awake = null;
    }
    this.#rung = false;
  }
}
