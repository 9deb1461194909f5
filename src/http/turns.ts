/** So many at a time for each user, and so many in all; the rest waits in line, and a user's own line holds up nobody else. */
import { HandsetError } from '../errors.ts';
import type { Deadline } from './deadline.ts';

export interface TurnLimits {
  /** At a time, of one user. */
  readonly each: number;
  /** At a time, of all users together. */
  readonly all: number;
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
  #total = 0;
  #waiting: Waiter[] = [];

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Resolves with the way to give the turn back, which may be called twice. Throws RateLimited when too many wait already,
   * and RequestTimeout.
   */
  async take(userId: number, deadline: Pick<Deadline, 'passed' | 'watch'>): Promise<() => void> {
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
    return this.#total < this.#limits.all && (this.#running.get(userId) ?? 0) < this.#limits.each;
  }

  #begin(userId: number): void {
    this.#total += 1;
    this.#running.set(userId, (this.#running.get(userId) ?? 0) + 1);
  }

  #wait(userId: number, deadline: Pick<Deadline, 'watch'>): Promise<void> {
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
        resolve();
      },
    };
    this.#waiting.push(waiter);
    return promise;
  }

  #left(userId: number): void {
    const waiting = this.#waitingOf.get(userId)! - 1;
    if (waiting === 0) this.#waitingOf.delete(userId);
    else this.#waitingOf.set(userId, waiting);
  }

  #end(userId: number): void {
    this.#total -= 1;
    const left = this.#running.get(userId)! - 1;
    if (left === 0) this.#running.delete(userId);
    else this.#running.set(userId, left);
    if (this.#waiting.length === 0) return;
    const next = this.#waiting.findIndex((waiter) => this.#hasRoom(waiter.userId));
    if (next >= 0) this.#waiting.splice(next, 1)[0]!.admit();
  }
}
