/** The deadline of a whole request: reading its body and answering it (decisions.md, Errors: 408). */
import type { Clock, Timer } from '../domain/clock.ts';
import type { HandsetError } from '../errors.ts';
import { requestTimeout } from './errors.ts';

type Late = (error: HandsetError) => void;

/** Every request has one, and few are ever waited for by signal: that is made when somebody asks for it. */
export class Deadline {
  readonly #timer: Timer;
  readonly #waiting = new Set<Late>();
  #passed: HandsetError | null = null;
  #controller: AbortController | null = null;

  constructor(clock: Clock, ms: number) {
    this.#timer = clock.after(ms, () => this.#pass());
  }

  /** RequestTimeout, when the time is up. */
  get passed(): HandsetError | null {
    return this.#passed;
  }

  /** Aborted with RequestTimeout when the time is up. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#passed !== null) this.#controller.abort(this.#passed);
    }
    return this.#controller.signal;
  }

  /** Calls `late` when the time is up, once; gives the way to be no longer called. */
  watch(late: Late): () => void {
    this.#waiting.add(late);
    return () => this.#waiting.delete(late);
  }

  /** The outcome of `work`, or RequestTimeout when that takes too long. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#passed !== null) reject(this.#passed);
      this.#waiting.add(reject);
      const ended = (): void => void this.#waiting.delete(reject);
      work.then(ended, ended);
      work.then(resolve, reject);
    });
  }

  cancel(): void {
    this.#timer.cancel();
  }

  #pass(): void {
    this.#passed = requestTimeout();
    this.#controller?.abort(this.#passed);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const late of waiting) late(this.#passed);
  }
}
