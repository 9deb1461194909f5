/** The rate limit: an exact sliding window of a minute for each user (docs/spec/http-interface.md, Limits). */
import type { Clock } from '../../domain/clock.ts';

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

/** Milliseconds that never go back: a clock that is set back must not lock anybody out for as long as the jump. Only differences count. */
export const steadyTime = (clock: Pick<Clock, 'now'>): (() => number) => {
  let last = clock.now();
  let added = 0;
  return () => {
    const now = clock.now() + added;
    if (now < last) added += last - now;
    else last = now;
    return last;
  };
};

/** The times of the accepted requests of the last minute, oldest first. */
class RequestTimes {
  #times: number[] = [];
  #first = 0;

  get count(): number {
    return this.#times.length - this.#first;
  }

  get oldest(): number {
    return this.#times[this.#first]!;
  }

  forgetUntil(time: number): void {
    while (this.count > 0 && this.oldest <= time) this.#first += 1;
    if (this.#first === 0 || this.#first * 2 < this.#times.length) return;
    this.#times = this.#times.slice(this.#first);
    this.#first = 0;
  }

  add(time: number): void {
    this.#times.push(time);
  }
}

/** No minute, wherever it begins, sees more than `limit` accepted requests of one user. Refused requests do not count. */
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
