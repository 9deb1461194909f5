/** The deadline of a request, and its share of the user's limits. */
import type { Clock, Timer } from '../../domain/clock.ts';
import type { Stores } from '../../domain/stores.ts';
import type { HandsetError } from '../../errors.ts';
import { ConcurrencyLimit } from '../../service/users/concurrency-limit.ts';
import { answersBusy, requestTimeout } from '../wire/errors.ts';

type Late = (error: HandsetError) => void;

/** Ends a request by its timeout (docs/spec/http-interface.md, Errors: 408), restarted after the body, or if the database is unreachable. */
export class Deadline {
  passed: HandsetError | null = null;
  readonly #begin: () => Timer;
  #timer: Timer;
  #ended = false;
  readonly #waiting = new Set<Late>();
  readonly #unwatch: (() => void) | undefined;
  #controller: AbortController | null = null;

  constructor(clock: Clock, ms: number, onAway: Stores['onAway']) {
    this.#begin = () => clock.after(ms, () => this.#pass(requestTimeout()));
    this.#timer = this.#begin();
    this.#unwatch = onAway?.((error) => this.#pass(error));
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
    this.#timer.cancel();
  }

  restart(): void {
    this.#timer.cancel();
    if (!this.#ended) this.#timer = this.#begin();
  }

  cancel(): void {
    this.#ended = true;
    this.#timer.cancel();
    this.#unwatch?.();
  }

  #pass(error: HandsetError): void {
    if (this.passed !== null) return;
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
