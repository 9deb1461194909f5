/** At most so many requests a minute a user: an exact sliding window (docs/spec/http-interface.md, Limits). */
import type { Clock } from '../../domain/clock.ts';
import { steadyTime } from '../server/steady-time.ts';

/** The state of a limit. */
export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the oldest request of the window no longer counts; after that one more is accepted. */
  readonly resetSeconds: number;
}

export interface RateVerdict extends Standing {
  readonly allowed: boolean;
}

/** Counts a request of a user, unless the limit is reached. In memory here; a shared store can stand in for it. */
export interface RateLimiter {
  /** Null: the key is no longer valid, which this process had not heard of. */
  take(userId: number, keyId: number | null): RateVerdict | Promise<RateVerdict | null>;
}

const windowMs = 60_000;

/** The times of the accepted requests of the last minute, oldest first: a ring that grows up to the limit. */
class RequestTimes {
  #ring = new Float64Array(16);
  #first = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get oldest(): number {
    return this.#ring[this.#first]!;
  }

  forgetUntil(time: number): void {
    while (this.#count > 0 && this.oldest <= time) {
      this.#first = (this.#first + 1) % this.#ring.length;
      this.#count -= 1;
    }
  }

  add(time: number): void {
    if (this.#count === this.#ring.length) this.#grow();
    this.#ring[(this.#first + this.#count) % this.#ring.length] = time;
    this.#count += 1;
  }

  #grow(): void {
    const larger = new Float64Array(this.#ring.length * 2);
    for (let index = 0; index < this.#count; index += 1) {
      larger[index] = this.#ring[(this.#first + index) % this.#ring.length]!;
    }
    this.#ring = larger;
    this.#first = 0;
  }
}

/** No minute, wherever it begins, sees more than `limit` accepted requests of one user. Refused ones do not count. */
export const slidingWindow = (limit: number, clock: Clock): { take(userId: number): RateVerdict } => {
  const users = new Map<number, RequestTimes>();
  const time = steadyTime(clock);
  return {
    take(userId) {
      const now = time();
      const times = users.get(userId) ?? new RequestTimes();
      users.set(userId, times);
      times.forgetUntil(now - windowMs);
      const allowed = times.count < limit;
      if (allowed) times.add(now);
      return {
        allowed,
        limit,
        remaining: limit - times.count,
        resetSeconds: Math.max(1, Math.ceil((times.oldest + windowMs - now) / 1000)),
      };
    },
  };
};
