/** What one request of a user takes up: a turn, and while it lasts the memory of a large body or a stream. */
import { Turns } from './turns.ts';

/** Requests of one user that are served at a time, where nothing else is set; how many wait is bounded by the rate as well. */
const userConcurrency = 64;
const maxWaiting = 2_000;
/** Bodies with images, 15 MB each: read by so few at a time that they cannot fill the memory. */
const largeLimits = { each: 4, all: 16, waiting: maxWaiting };
/** Streams outlive their request; each holds a connection and little else. */
const streamLimits = { each: 256, all: Infinity, waiting: 0 };

/** The lines in which the users' requests wait. */
export class Places {
  readonly requests: Turns;
  readonly large = new Turns(largeLimits);
  readonly streams = new Turns(streamLimits);

  constructor(concurrency = userConcurrency) {
    this.requests = new Turns({ each: concurrency, all: Infinity, waiting: maxWaiting });
  }
}

/** The place of one request. Every step throws RateLimited where too many wait, and RequestTimeout. */
export class Place {
  readonly #places: Places;
  readonly #userId: number;
  readonly #signal: AbortSignal;
  readonly #held = new Map<Turns, () => void>();
  #ended = false;

  constructor(places: Places, userId: number, signal: AbortSignal) {
    this.#places = places;
    this.#userId = userId;
    this.#signal = signal;
  }

  begin(): Promise<void> {
    return this.#take(this.#places.requests);
  }

  /** Before a body is read that may be large. */
  large(): Promise<void> {
    return this.#take(this.#places.large);
  }

  /** The answer becomes a stream: it gives the turn of the request back. */
  async stream(): Promise<void> {
    await this.#take(this.#places.streams);
    this.#give(this.#places.requests);
  }

  /** The answer is out, or the client has gone. */
  end(): void {
    this.#ended = true;
    for (const turns of this.#held.keys()) this.#give(turns);
  }

  async #take(turns: Turns): Promise<void> {
    const release = await turns.take(this.#userId, this.#signal);
    this.#held.set(turns, release);
    if (this.#ended) this.#give(turns);
  }

  #give(turns: Turns): void {
    this.#held.get(turns)?.();
    this.#held.delete(turns);
  }
}
