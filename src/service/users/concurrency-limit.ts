/** Concurrency limits, per user and overall. */
import { HandsetError } from '../../errors.ts';
import type { RequestDeadline } from '../time/deadline.ts';

export interface ConcurrencyLimits {
  readonly perUser: number;
  readonly total: number;
  readonly reserved?: number;
  readonly queued: number;
}

interface Queue {
  /** Order of the last admission from the queue. */
  servedAt: number;
  readonly admit: Set<() => void>;
}

const tooManyRequests = (): HandsetError =>
  new HandsetError('RateLimited', 'Too many requests at the same time; try again in a second', {
    retryAfterSeconds: 1,
    reason: 'busy',
  });

/** Excess requests queue; the user served the longest ago goes first. */
export class ConcurrencyLimit {
  readonly #limits: ConcurrencyLimits;
  readonly #full: () => HandsetError;
  readonly #running = new Map<number, number>();
  readonly #queues = new Map<number, Queue>();
  #served = 0;
  #total = 0;

  constructor(limits: ConcurrencyLimits, full: () => HandsetError = tooManyRequests) {
    this.#limits = limits;
    this.#full = full;
  }

  /** Resolves with an idempotent release function. Throws RateLimited if the queue is full, and RequestTimeout. */
  async acquire(userId: number, deadline: Pick<RequestDeadline, 'passed' | 'watch'>): Promise<() => void> {
    if (deadline.passed !== null) throw deadline.passed;
    if (!this.tryAcquire(userId)) await this.#wait(userId, deadline);
    let held = true;
    return () => {
      if (held) this.release(userId);
      held = false;
    };
  }

  tryAcquire(userId: number): boolean {
    const running = this.#running.get(userId) ?? 0;
    if (!this.#hasRoom(running)) return false;
    this.#total += 1;
    this.#running.set(userId, running + 1);
    return true;
  }

  #hasRoom(running: number): boolean {
    const { perUser, total, reserved = 0 } = this.#limits;
    return running < perUser && this.#total < (running === 0 ? total : total - reserved);
  }

  #wait(userId: number, deadline: Pick<RequestDeadline, 'watch'>): Promise<void> {
    const queue = this.#queues.get(userId) ?? { servedAt: 0, admit: new Set() };
    if (queue.admit.size >= this.#limits.queued) throw this.#full();
    this.#queues.set(userId, queue);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      queue.admit.delete(admit);
      if (queue.admit.size === 0) this.#queues.delete(userId);
    };
    const forget = deadline.watch((late) => {
      leave();
      reject(late);
    });
    const admit = (): void => {
      forget();
      leave();
      this.#total += 1;
      this.#running.set(userId, (this.#running.get(userId) ?? 0) + 1);
      queue.servedAt = this.#served += 1;
      resolve();
    };
    queue.admit.add(admit);
    return promise;
  }

  release(userId: number): void {
    this.#total -= 1;
    const left = this.#running.get(userId)! - 1;
    if (left === 0) this.#running.delete(userId);
    else this.#running.set(userId, left);
    if (this.#queues.size > 0) this.#admitNext();
  }

  #admitNext(): void {
    let next: Queue | null = null;
    for (const [userId, queue] of this.#queues) {
      if (queue.servedAt >= (next?.servedAt ?? Infinity)) continue;
      if (this.#hasRoom(this.#running.get(userId) ?? 0)) next = queue;
    }
    const [admit] = next?.admit ?? [];
    admit?.();
  }
}
