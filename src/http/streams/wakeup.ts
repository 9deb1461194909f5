/** Waits for news, the heartbeat, or the reader's leaving. */
import type { Clock } from '../../domain/clock.ts';

export class Wakeup {
  readonly #clock: Clock;
  #news = false;
  #wake: (() => void) | null = null;
  gone = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  notify(): void {
    this.#news = true;
    this.#wake?.();
  }

  leave(): void {
    this.gone = true;
    this.#wake?.();
  }

  async wait(ms: number): Promise<boolean> {
    if (!this.#news && !this.gone) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.after(ms, resolve);
        this.#wake = () => {
          timer.cancel();
          resolve();
        };
      });
      this.#wake = null;
    }
    const news = this.#news;
    this.#news = false;
    return news;
  }
}
