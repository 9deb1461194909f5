/** Adaptive concurrency of one device's endpoint: its window opens with every answer and closes when none come. */

export interface EndpointLimits {
  /** Posts at once to an endpoint that answers well. */
  readonly most: number;
  /** Posts at once to an endpoint of which nothing is known. */
  readonly first: number;
  /** After so many failures to answer in a row only a single probe is out at a time. */
  readonly tripAfter: number;
}

const firstPauseMs = 1000;
const longestPauseMs = 30_000;

export class Endpoint {
  readonly deviceId: number;
  readonly #limits: EndpointLimits;
  /** Posts that are out. */
  running = 0;
  #window: number;
  #silences = 0;
  #pauses = 0;
  #pausedUntil = 0;

  constructor(deviceId: number, limits: EndpointLimits) {
    this.deviceId = deviceId;
    this.#limits = limits;
    this.#window = limits.first;
  }

  get tripped(): boolean {
    return this.#silences >= this.#limits.tripAfter;
  }

  /** ms; in the past when it is not paused. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  /** Nothing under way, and nothing learned that must be kept. */
  get idle(): boolean {
    return this.running === 0 && this.#silences === 0;
  }

  /** How many more it can take now. */
  roomAt(now: number): number {
    return now < this.#pausedUntil ? 0 : this.#window - this.running;
  }

  /** Any answer, whatever its status, is a sign of life. */
  answered(): void {
    this.#window = this.tripped ? this.#limits.first : Math.min(this.#window + 1, this.#limits.most);
    this.#silences = 0;
    this.#pauses = 0;
    this.#pausedUntil = 0;
  }

  /** No answer: refused, timed out, forbidden. Returns true when this one trips it. */
  silent(now: number): boolean {
    const before = this.tripped;
    this.#silences += 1;
    this.#window = this.tripped ? 1 : Math.max(1, Math.floor(this.#window / 2));
    // Posts that were out together count as one probe: only the first of them sets the pause.
    if (this.tripped && now >= this.#pausedUntil) {
      this.#pausedUntil = now + Math.min(firstPauseMs * 2 ** Math.min(this.#pauses, 10), longestPauseMs);
      this.#pauses += 1;
    }
    return !before && this.tripped;
  }
}
