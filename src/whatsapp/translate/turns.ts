/** Gives the event loop its turn in the middle of long work. */
import { setImmediate } from 'node:timers/promises';

/** Work without a break, ms. */
const mostMs = 5;

export class Turns {
  #began = performance.now();

  /** To be awaited between two steps. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < mostMs) return;
    await setImmediate();
    this.#began = performance.now();
  }
}
