/** The refs that the network gives for QRs: each is shown for its time, the last one ends the pairing. */
import type { Clock, Timer } from '../../domain/clock.ts';

const firstMs = 60_000;
const laterMs = 20_000;

export interface ShownRef {
  readonly ref: string;
  readonly expiresAt: number;
}

export interface RefEvents {
  shown(): void;
  /** The last ref has had its time. */
  ended(): void;
}

export class QrRefs {
  readonly #clock: Clock;
  readonly #events: RefEvents;
  #waiting: string[] = [];
  #current: ShownRef | null = null;
  #timer: Timer | null = null;

  constructor(clock: Clock, events: RefEvents) {
    this.#clock = clock;
    this.#events = events;
  }

  get current(): ShownRef | null {
    return this.#current;
  }

  begin(refs: readonly string[]): void {
    this.stop();
    this.#waiting = [...refs];
    this.#show(firstMs);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#current = null;
  }

  #show(ms: number): void {
    const ref = this.#waiting.shift();
    if (ref === undefined) {
      this.stop();
      this.#events.ended();
      return;
    }
    this.#current = { ref, expiresAt: this.#clock.now() + ms };
    this.#timer = this.#clock.after(ms, () => this.#show(laterMs));
    this.#events.shown();
  }
}
