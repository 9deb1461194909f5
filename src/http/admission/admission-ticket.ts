/** One request's share of its user's limits: a concurrency slot, and the memory of a large body or a stream. */
import type { Deadline } from '../server/deadline.ts';
import { Turns } from '../../service/users/concurrency-limit.ts';

/** Requests of one user that are served at a time, where nothing else is set; how many wait is bounded by the rate as well. */
const userConcurrency = 64;
const maxWaiting = 2_000;
/** Streams outlive their request; each holds a connection and little else. */
const streamLimits = { each: 256, all: Infinity, waiting: 0 };

/** The lines in which the users' requests wait. */
export class Places {
  readonly requests: Turns;
  /** Bodies with images. */
  readonly large: Turns;
  readonly streams = new Turns(streamLimits);

  constructor(large: Turns, concurrency = userConcurrency) {
    this.large = large;
    this.requests = new Turns({ each: concurrency, all: Infinity, waiting: maxWaiting });
  }
}

/** The place of one request. Every step throws RateLimited where too many wait, and RequestTimeout. */
export class Place {
  readonly #places: Places;
  readonly #userId: number;
  readonly #deadline: Deadline;
  /** The turn of the request itself. */
  #own: (() => void) | null = null;
  #others: (() => void)[] = [];
  #ended = false;

  constructor(places: Places, userId: number, deadline: Deadline) {
    this.#places = places;
    this.#userId = userId;
    this.#deadline = deadline;
  }

  /** Null: it has its turn already. */
  begin(): Promise<void> | null {
    const { requests } = this.#places;
    this.#own = requests.tryTake(this.#userId);
    if (this.#own !== null) return null;
    return this.#take(requests).then((turn) => void (this.#own = turn));
  }

  /** Before a body is read that may be large. */
  async large(): Promise<void> {
    this.#others.push(await this.#take(this.#places.large));
  }

  /** The answer becomes a stream: it gives the turn of the request back. */
  async stream(): Promise<void> {
    this.#others.push(await this.#take(this.#places.streams));
    this.#own?.();
  }

  /** The answer is out, or the client has gone. */
  end(): void {
    this.#ended = true;
    this.#own?.();
    for (const give of this.#others) give();
  }

  /** The way to give it back, which may be called twice. */
  async #take(turns: Turns): Promise<() => void> {
    const give = await turns.take(this.#userId, this.#deadline);
    if (this.#ended) give();
    return give;
  }
}
