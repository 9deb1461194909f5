/** Ends a fetch that brings too little: a host or a proxy that sends a byte now and then would hold its place for months. */
import type { Clock, Timer } from '../../domain/clock.ts';

const windowMs = 30_000;
const leastBytes = 262_144;

export class FetchRate {
  received = 0;
  #seen = 0;
  #timer: Timer;
  readonly #clock: Clock;
  readonly #abort = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#timer = clock.after(windowMs, this.#look);
  }

  get tooSlow(): AbortSignal {
    return this.#abort.signal;
  }

  readonly #look = (): void => {
    if (this.received - this.#seen < leastBytes) return this.#abort.abort(new Error('the file comes too slowly'));
    this.#seen = this.received;
    this.#timer = this.#clock.after(windowMs, this.#look);
  };

  end(): void {
    this.#timer.cancel();
  }
}
