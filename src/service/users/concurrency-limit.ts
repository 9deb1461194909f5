/** At most so many at a time, of each user and in all. The others wait; those of the user who was served the longest ago go first. */
import { HandsetError } from '../../errors.ts';

/** The end of a request. */
export interface Patience {
  readonly passed: HandsetError | null;
  /** Calls `late` when the time is up, once; gives the way to be no longer called. */
  watch(late: (error: HandsetError) => void): () => void;
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
}

export interface TurnLimits {
  /** At a time, of one user. */
  readonly each: number;
  /** At a time, of all users together. */
  readonly all: number;
  /** Share of `all` that is reserved for users who have no turn. */
  readonly spare?: number;
  /** That may wait, of one user. */
  readonly waiting: number;
}

interface Waiter {
  readonly userId: number;
  readonly admit: () => void;
}

export class Turns {
  readonly #limits: TurnLimits;
  readonly #running = new Map<number, number>();
  readonly #waitingOf = new Map<number, number>();
  /** When a user who still waits was last admitted from the line, by a count. */
  readonly #servedAt = new Map<number, number>();
  #served = 0;
  #total = 0;
  #waiting: Waiter[] = [];

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Resolves with the way to give the turn back, which may be called twice. Throws RateLimited when too many wait already,
   * and RequestTimeout.
   */
  async take(userId: number, deadline: Pick<Patience, 'passed' | 'watch'>): Promise<() => void> {
    if (deadline.passed !== null) throw deadline.passed;
    const turn = this.tryTake(userId);
    if (turn !== null) return turn;
    await this.#wait(userId, deadline);
    return this.#turnOf(userId);
  }

  /** A turn, where there is room for one; else null. */
  tryTake(userId: number): (() => void) | null {
    if (!this.#hasRoom(userId)) return null;
    this.#begin(userId);
    return this.#turnOf(userId);
  }

  #turnOf(userId: number): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#end(userId);
    };
  }

  #hasRoom(userId: number): boolean {
    const running = this.#running.get(userId) ?? 0;
    const { each, all, spare = 0 } = this.#limits;
    return running < each && this.#total < (running === 0 ? all : all - spare);
  }

  #begin(userId: number): void {
    this.#total += 1;
    this.#running.set(userId, (this.#running.get(userId) ?? 0) + 1);
  }

  #wait(userId: number, deadline: Pick<Patience, 'watch'>): Promise<void> {
    const waiting = this.#waitingOf.get(userId) ?? 0;
    if (waiting >= this.#limits.waiting) {
      const message = 'Too many requests at the same time; try again in a second';
      throw new HandsetError('RateLimited', message, { retryAfterSeconds: 1 });
    }
    this.#waitingOf.set(userId, waiting + 1);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const forget = deadline.watch((late) => {
      this.#waiting = this.#waiting.filter((other) => other !== waiter);
      this.#left(userId);
      reject(late);
    });
    const waiter: Waiter = {
      userId,
      admit: () => {
        forget();
        this.#left(userId);
        this.#begin(userId);
        if (this.#waitingOf.has(userId)) this.#servedAt.set(userId, (this.#served += 1));
        resolve();
      },
    };
    this.#waiting.push(waiter);
    return promise;
  }

  #left(userId: number): void {
    const waiting = this.#waitingOf.get(userId)! - 1;
    if (waiting === 0) {
      this.#waitingOf.delete(userId);
      this.#servedAt.delete(userId);
    } else this.#waitingOf.set(userId, waiting);
  }

  #end(userId: number): void {
    this.#total -= 1;
    const left = this.#running.get(userId)! - 1;
    if (left === 0) this.#running.delete(userId);
    else this.#running.set(userId, left);
    if (this.#waiting.length > 0) this.#next()?.admit();
  }

  /** The longest-waiting request of the user who was served least recently. */
  #next(): Waiter | undefined {
    let next = -1;
    let best = Infinity;
    for (const [place, { userId }] of this.#waiting.entries()) {
      const servedAt = this.#servedAt.get(userId) ?? 0;
      if (servedAt >= best || !this.#hasRoom(userId)) continue;
      next = place;
      best = servedAt;
    }
    return next < 0 ? undefined : this.#waiting.splice(next, 1)[0];
  }
}
