/** One request's share of its user's limits: a concurrency slot, and the memory of a large body or a stream. */
import { ConcurrencyLimit } from '../../service/users/concurrency-limit.ts';
import type { Deadline } from '../server/deadline.ts';

/** Requests of one user at a time by default; the rate limit bounds how many queue as well. */
const userConcurrency = 64;
const maxQueued = 2_000;
/** Streams outlive their request; each holds a connection and little else. */
const streamLimits = { perUser: 256, total: Infinity, queued: 0 };

/** The limits that requests count against. */
export class AdmissionLimits {
  readonly requests: ConcurrencyLimit;
  /** Bodies with images. */
  readonly large: ConcurrencyLimit;
  readonly streams = new ConcurrencyLimit(streamLimits);

  constructor(large: ConcurrencyLimit, concurrency = userConcurrency) {
    this.large = large;
    this.requests = new ConcurrencyLimit({ perUser: concurrency, total: Infinity, queued: maxQueued });
  }
}

/** Every step throws RateLimited when the queue is full, and RequestTimeout. */
export class AdmissionTicket {
  readonly #limits: AdmissionLimits;
  readonly #userId: number;
  readonly #deadline: Deadline;
  /** Releases the slot of the request itself. */
  #releaseRequest: (() => void) | null = null;
  readonly #releases: (() => void)[] = [];
  #ended = false;

  constructor(limits: AdmissionLimits, userId: number, deadline: Deadline) {
    this.#limits = limits;
    this.#userId = userId;
    this.#deadline = deadline;
  }

  /** Null when the request is admitted at once. */
  admit(): Promise<void> | null {
    const { requests } = this.#limits;
    this.#releaseRequest = requests.tryAcquire(this.#userId);
    if (this.#releaseRequest !== null) return null;
    return this.#acquire(requests).then((release) => void (this.#releaseRequest = release));
  }

  /** Call before reading a body that may be large. */
  async admitLargeBody(): Promise<void> {
    this.#releases.push(await this.#acquire(this.#limits.large));
  }

  /** Call when the answer becomes a stream: it releases the slot of the request. */
  async admitStream(): Promise<void> {
    this.#releases.push(await this.#acquire(this.#limits.streams));
    this.#releaseRequest?.();
  }

  /** The answer is out, or the client has gone. */
  end(): void {
    this.#ended = true;
    this.#releaseRequest?.();
    for (const release of this.#releases) release();
  }

  async #acquire(limit: ConcurrencyLimit): Promise<() => void> {
    const release = await limit.acquire(this.#userId, this.#deadline);
    if (this.#ended) release();
    return release;
  }
}
