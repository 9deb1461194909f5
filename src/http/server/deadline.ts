/** The end of a whole request, reading its body and answering it: its time is up (docs/spec/http-interface.md, Errors: 408), or the database is away. */
import type { Clock, Timer } from '../../domain/clock.ts';
import type { Stores } from '../../domain/stores.ts';
import type { HandsetError } from '../../errors.ts';
import { requestTimeout } from './errors.ts';

type Late = (error: HandsetError) => void;

/** Every request has one, and few are ever waited for by signal: that is made when somebody asks for it. */
export class Deadline {
  /** RequestTimeout, or Unavailable, when the time is up. */
  passed: HandsetError | null = null;
  readonly #timer: Timer;
  readonly #waiting = new Set<Late>();
  readonly #unwatch: (() => void) | undefined;
  #controller: AbortController | null = null;

  /** `onAway` calls when the database has been away for too long. */
  constructor(clock: Clock, ms: number, onAway: Stores['onAway']) {
    this.#timer = clock.after(ms, () => this.#pass(requestTimeout()));
    this.#unwatch = onAway?.((error) => this.#pass(error));
  }

  /** Aborted with the same when the time is up. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.passed !== null) this.#controller.abort(this.passed);
    }
    return this.#controller.signal;
  }

  /** Calls `late` when the time is up, once; gives the way to be no longer called. */
  watch(late: Late): () => void {
    this.#waiting.add(late);
    return () => this.#waiting.delete(late);
  }

  /** The outcome of `work`, or the same when that takes too long. */
  race<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.passed !== null) reject(this.passed);
    // It stays: rejecting what has an outcome changes nothing.
    this.#waiting.add(reject);
    work.then(resolve, reject);
    return promise;
  }

  cancel(): void {
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
