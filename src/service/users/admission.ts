/** What a request may take: its time, and its share of the limits per user and overall. */
import { HandsetError, requestTimeout } from '../../errors.ts';
import type { RequestDeadline } from '../time/deadline.ts';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { Stores } from '../../domain/stores.ts';

type Late = (error: HandsetError) => void;

/** Ends a request by its timeout (docs/spec/http-interface.md, Errors: 408), restarted after the body, or if the database is unreachable. */
export class Deadline {
  passed: HandsetError | null = null;
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #tooLate: () => HandsetError;
  #timer: Timer | null = null;
  #ended = false;
  readonly #waiting = new Set<Late>();
  readonly #unwatch: (() => void) | undefined;
  #controller: AbortController | null = null;

  constructor(clock: Clock, ms: number, onAway: Stores['onAway'] = null, tooLate = requestTimeout) {
    this.#clock = clock;
    this.#ms = ms;
    this.#tooLate = tooLate;
    this.restart();
    this.#unwatch = onAway?.((error) => this.end(error));
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.passed !== null) this.#controller.abort(this.passed);
    }
    return this.#controller.signal;
  }

  watch(late: Late): () => void {
    this.#waiting.add(late);
    return () => this.#waiting.delete(late);
  }

  race<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.passed !== null) reject(this.passed);
    this.#waiting.add(reject);
    work.then(resolve, reject);
    return promise;
  }

  /** Stops the timeout until `restart`, while a body with a minimum rate arrives. */
  pause(): void {
    this.#timer?.cancel();
  }

  restart(): void {
    this.#timer?.cancel();
    if (!this.#ended) this.#timer = this.#clock.after(this.#ms, () => this.end(this.#tooLate()));
  }

  cancel(): void {
    this.#ended = true;
    this.#timer?.cancel();
    this.#unwatch?.();
  }

  /** Ends the request, unless it is answered already. */
  end(error: HandsetError): void {
    if (this.#ended || this.passed !== null) return;
    this.passed = error;
    this.#controller?.abort(error);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const late of waiting) late(error);
  }
}

/** The rate limit bounds the queue. */
const userConcurrency = 64;
const maxQueued = 2_000;
/** Streams outlive their request and cost little but a connection. */
const streamLimits = { perUser: 256, total: Infinity, queued: 0 };
/** All searches share a tenth of a core (`sealed-search.ts`), so more at a time would only slow each. */
const searchLimits = { perUser: 1, total: Infinity, queued: 8 };

/** Each holds a piece of its page, and what its reader has not taken yet. */
const answerLimits = { perUser: 4, total: 16, reserved: 8, queued: 64 };
const answerWaitMs = 10_000;

export const answersBusy = (): HandsetError =>
  new HandsetError('Busy', 'Too many large answers are under way; read them, and try again in a few seconds', {
    retryAfterSeconds: 5,
  });

export class AdmissionLimits {
  readonly requests: ConcurrencyLimit;
  readonly large: ConcurrencyLimit;
  readonly streams = new ConcurrencyLimit(streamLimits);
  readonly searches = new ConcurrencyLimit(searchLimits);
  readonly answers = new ConcurrencyLimit(answerLimits, answersBusy);

  constructor(large: ConcurrencyLimit, concurrency = userConcurrency) {
    this.large = large;
    this.requests = new ConcurrencyLimit({ perUser: concurrency, total: Infinity, queued: maxQueued });
  }
}

/** Every step throws RateLimited if the queue is full, or RequestTimeout. */
export class AdmissionTicket {
  readonly #limits: AdmissionLimits;
  readonly #userId: number;
  readonly #deadline: Deadline;
  #isAdmitted = false;
  readonly #releases: (() => void)[] = [];
  #ended = false;
  #search: AbortController | null = null;

  constructor(limits: AdmissionLimits, userId: number, deadline: Deadline) {
    this.#limits = limits;
    this.#userId = userId;
    this.#deadline = deadline;
  }

  admit(): Promise<void> | null {
    this.#isAdmitted = this.#limits.requests.tryAcquire(this.#userId);
    return this.#isAdmitted ? null : this.#wait();
  }

  async #wait(): Promise<void> {
    const release = await this.#acquire(this.#limits.requests);
    if (!this.#ended) this.#releases.push(release);
  }

  async admitLargeBody(): Promise<void> {
    this.#releases.push(await this.#acquire(this.#limits.large));
  }

  /** Call before reading a large answer; its end, or the returned function, frees the slot. Throws Busy after a long wait. */
  async admitAnswer(clock: Pick<Clock, 'after'>): Promise<() => void> {
    const { passed } = this.#deadline;
    const watch: Deadline['watch'] = (late) => {
      const forget = this.#deadline.watch(late);
      const timer = clock.after(answerWaitMs, () => late(answersBusy()));
      return () => {
        timer.cancel();
        return forget();
      };
    };
    const release = await this.#limits.answers.acquire(this.#userId, { passed, watch });
    if (this.#ended) release();
    else this.#releases.push(release);
    return release;
  }

  async admitStream(): Promise<void> {
    const stream = await this.#acquire(this.#limits.streams);
    if (this.#ended) return;
    this.end();
    this.#ended = false;
    this.#releases.push(stream);
  }

  async admitSearch(): Promise<AbortSignal> {
    const release = await this.#acquire(this.#limits.searches);
    if (this.#ended) throw requestTimeout();
    this.#releases.push(release);
    this.#search = new AbortController();
    return this.#search.signal;
  }

  end(): void {
    this.#ended = true;
    this.#search?.abort(requestTimeout());
    if (this.#isAdmitted) this.#limits.requests.release(this.#userId);
    this.#isAdmitted = false;
    for (const release of this.#releases) release();
  }

  async #acquire(limit: ConcurrencyLimit): Promise<() => void> {
    const release = await limit.acquire(this.#userId, this.#deadline);
    if (this.#ended) release();
    return release;
  }
}

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
