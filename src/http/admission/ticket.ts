/** The deadline of a request, and its share of the user's limits. */
import type { Clock, Timer } from '../../domain/clock.ts';
import type { Stores } from '../../domain/stores.ts';
import type { HandsetError } from '../../errors.ts';
import { ConcurrencyLimit } from '../../service/users/concurrency-limit.ts';
import { answersBusy, requestTimeout } from '../wire/errors.ts';

type Late = (error: HandsetError) => void;

/**
 * The end of a request: its time, which starts anew with the last byte of the body (docs/spec/http-interface.md, Errors: 408), or a
 * database that is away. The signal is made only when asked for, as few need it.
 */
export class Deadline {
  /** RequestTimeout or Unavailable, once passed. */
  passed: HandsetError | null = null;
  readonly #begin: () => Timer;
  #timer: Timer;
  #ended = false;
  readonly #waiting = new Set<Late>();
  readonly #unwatch: (() => void) | undefined;
  #controller: AbortController | null = null;

  /** `onAway` fires when the database has been away for too long. */
  constructor(clock: Clock, ms: number, onAway: Stores['onAway']) {
    this.#begin = () => clock.after(ms, () => this.#pass(requestTimeout()));
    this.#timer = this.#begin();
    this.#unwatch = onAway?.((error) => this.#pass(error));
  }

  /** Aborted with the same error. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.passed !== null) this.#controller.abort(this.passed);
    }
    return this.#controller.signal;
  }

  /** Calls `late` once, when the time is up. Returns a function that cancels the call. */
  watch(late: Late): () => void {
    this.#waiting.add(late);
    return () => this.#waiting.delete(late);
  }

  /** Rejects when the time is up before `work` settles. */
  race<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.passed !== null) reject(this.passed);
    // Left in the set: rejecting a settled promise changes nothing.
    this.#waiting.add(reject);
    work.then(resolve, reject);
    return promise;
  }

  /** Stops the time while a body that must keep the least rate arrives, until `restart`. */
  pause(): void {
    this.#timer.cancel();
  }

  /** The whole time begins anew. */
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

/** The rate limit bounds how many queue. */
const userConcurrency = 64;
const maxQueued = 2_000;
/** Streams outlive their request; each holds a connection and little else. */
const streamLimits = { perUser: 256, total: Infinity, queued: 0 };
/** All searches share a tenth of a core (`search-share.ts`): more at a time would only slow each down. */
const searchLimits = { perUser: 1, total: Infinity, queued: 8 };

/** Each answer from the store holds a piece of its page, and what its reader has not taken yet. */
const answerLimits = { perUser: 4, total: 16, reserved: 8, queued: 64 };
/** How long an answer waits for others. */
const answerWaitMs = 10_000;

export class AdmissionLimits {
  readonly requests: ConcurrencyLimit;
  /** Bodies with images. */
  readonly large: ConcurrencyLimit;
  readonly streams = new ConcurrencyLimit(streamLimits);
  readonly searches = new ConcurrencyLimit(searchLimits);
  readonly answers = new ConcurrencyLimit(answerLimits, answersBusy);

  constructor(large: ConcurrencyLimit, concurrency = userConcurrency) {
    this.large = large;
    this.requests = new ConcurrencyLimit({ perUser: concurrency, total: Infinity, queued: maxQueued });
  }
}

/** Every step throws RateLimited if the queue is full, and RequestTimeout. */
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

  /** Null: admitted at once. */
  admit(): Promise<void> | null {
    this.#isAdmitted = this.#limits.requests.tryAcquire(this.#userId);
    return this.#isAdmitted ? null : this.#wait();
  }

  async #wait(): Promise<void> {
    const release = await this.#acquire(this.#limits.requests);
    if (!this.#ended) this.#releases.push(release);
  }

  /** Call before reading a body that may be large. */
  async admitLargeBody(): Promise<void> {
    this.#releases.push(await this.#acquire(this.#limits.large));
  }

  /**
   * Call before reading what may be a large answer; its end, or the returned function, admits the next one. Throws Busy if too many are
   * under way for long.
   */
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

  /** Call when the answer becomes a stream: releases the slot of the request. */
  async admitStream(): Promise<void> {
    const stream = await this.#acquire(this.#limits.streams);
    if (this.#ended) return;
    this.end();
    this.#ended = false;
    this.#releases.push(stream);
  }

  /** Call before searching sealed data. The signal aborts when the client has gone. */
  async admitSearch(): Promise<AbortSignal> {
    const release = await this.#acquire(this.#limits.searches);
    if (this.#ended) throw requestTimeout();
    this.#releases.push(release);
    this.#search = new AbortController();
    return this.#search.signal;
  }

  /** The answer is sent, or the client has disconnected. */
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
