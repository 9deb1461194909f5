/** Per-user and global concurrency limits. Excess requests queue; the user who was served the longest ago goes first. */
import { HandsetError } from '../../errors.ts';

/** The deadline of a request. */
export interface RequestDeadline {
  readonly passed: HandsetError | null;
  /** Calls `late` once, when the time is up. Returns a function that cancels the call. */
  watch(late: (error: HandsetError) => void): () => void;
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
}

export interface ConcurrencyLimits {
  /** Requests of one user at a time. */
  readonly perUser: number;
  /** Requests of all users at a time. */
  readonly total: number;
  /** Share of `total` that is reserved for users who have no request running. */
  readonly reserved?: number;
  /** Requests of one user that may queue. */
  readonly queued: number;
}

interface QueuedRequest {
  readonly userId: number;
  readonly admit: () => void;
}

export class ConcurrencyLimit {
  readonly #limits: ConcurrencyLimits;
  readonly #running = new Map<number, number>();
  readonly #queuedOf = new Map<number, number>();
  /** When a user with queued requests was last admitted from the queue, as a counter. */
  readonly #servedAt = new Map<number, number>();
  #served = 0;
  #total = 0;
  #queue: QueuedRequest[] = [];

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  /** Resolves with a function that releases the slot, and may be called twice. Throws RateLimited when the queue is full, and RequestTimeout. */
  async acquire(userId: number, deadline: Pick<RequestDeadline, 'passed' | 'watch'>): Promise<() => void> {
    if (deadline.passed !== null) throw deadline.passed;
    if (!this.tryAcquire(userId)) await this.#wait(userId, deadline);
    let held = true;
    return () => {
      if (held) this.release(userId);
      held = false;
    };
  }

  /** Takes a slot, to be released once, if there is one at once. */
  tryAcquire(userId: number): boolean {
    const running = this.#running.get(userId) ?? 0;
    if (!this.#hasRoom(running)) return false;
    this.#total += 1;
    this.#running.set(userId, running + 1);
    return true;
  }

  /** For one more of a user with so many running. */
  #hasRoom(running: number): boolean {
    const { perUser, total, reserved = 0 } = this.#limits;
    return running < perUser && this.#total < (running === 0 ? total : total - reserved);
  }

  #wait(userId: number, deadline: Pick<RequestDeadline, 'watch'>): Promise<void> {
    const waiting = this.#queuedOf.get(userId) ?? 0;
    if (waiting >= this.#limits.queued) {
      const message = 'Too many requests at the same time; try again in a second';
      throw new HandsetError('RateLimited', message, { retryAfterSeconds: 1 });
    }
    this.#queuedOf.set(userId, waiting + 1);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const forget = deadline.watch((late) => {
      this.#queue = this.#queue.filter((other) => other !== request);
      this.#left(userId);
      reject(late);
    });
    const request: QueuedRequest = {
      userId,
      admit: () => {
        forget();
        this.#left(userId);
        this.#total += 1;
        this.#running.set(userId, (this.#running.get(userId) ?? 0) + 1);
        if (this.#queuedOf.has(userId)) this.#servedAt.set(userId, (this.#served += 1));
        resolve();
      },
    };
    this.#queue.push(request);
    return promise;
  }

  #left(userId: number): void {
    const waiting = this.#queuedOf.get(userId)! - 1;
    if (waiting === 0) {
      this.#queuedOf.delete(userId);
      this.#servedAt.delete(userId);
    } else this.#queuedOf.set(userId, waiting);
  }

  release(userId: number): void {
    this.#total -= 1;
    const left = this.#running.get(userId)! - 1;
    if (left === 0) this.#running.delete(userId);
    else this.#running.set(userId, left);
    if (this.#queue.length > 0) this.#next()?.admit();
  }

  /** The oldest queued request of the user who was served least recently. */
  #next(): QueuedRequest | undefined {
    let next = -1;
    let best = Infinity;
    for (const [index, { userId }] of this.#queue.entries()) {
      const servedAt = this.#servedAt.get(userId) ?? 0;
      if (servedAt >= best || !this.#hasRoom(this.#running.get(userId) ?? 0)) continue;
      next = index;
      best = servedAt;
    }
    return next < 0 ? undefined : this.#queue.splice(next, 1)[0];
  }
}
