/** Runs one task at a time, taking turns by user: the least time used goes first. */
import type { MediaRequest } from '../../domain/messages/files.ts';

export class Turns {
  readonly #waiting = new Map<number, Set<() => void>>();
  readonly #used = new Map<number, number>();
  /** Time used by the last user to start; newcomers start from there. */
  #least = 0;
  #isBusy = false;

  async run<T>({ userId, signal }: MediaRequest, task: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    if (this.#isBusy) await this.#wait(userId, signal);
    this.#isBusy = true;
    const used = this.#usedBy(userId);
    this.#least = used;
    const began = performance.now();
    try {
      return await task();
    } finally {
      this.#used.set(userId, used + performance.now() - began);
      this.#next();
    }
  }

  #usedBy(userId: number): number {
    return Math.max(this.#used.get(userId) ?? 0, this.#least);
  }

  #wait(userId: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const queue = this.#waiting.get(userId) ?? new Set();
    this.#waiting.set(userId, queue.add(begin));
    const leave = (): void => {
      signal?.removeEventListener('abort', giveUp);
      queue.delete(begin);
      if (queue.size === 0) this.#waiting.delete(userId);
    };
    const giveUp = (): void => {
      leave();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp);
    function begin(): void {
      leave();
      resolve();
    }
    return promise;
  }

  #next(): void {
    let next: (() => void) | undefined;
    let least = Infinity;
    for (const [userId, [begin]] of this.#waiting) {
      const used = this.#usedBy(userId);
      if (used >= least) continue;
      least = used;
      next = begin;
    }
    // Passed on directly, so that nobody gets in between.
    if (next !== undefined) return next();
    this.#isBusy = false;
    this.#used.clear();
    this.#least = 0;
  }
}
