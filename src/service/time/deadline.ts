/** Waiting with an end: by the clock of the service, so that tests can move it. */
import type { Clock } from '../../domain/clock.ts';
import type { HandsetError } from '../../errors.ts';

/** Thrown when the time is up; the awaited work goes on, and its outcome is ignored. */
class TooLate extends Error {}

export const within = <T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => reject(new TooLate(`not done within ${ms} ms`)));
    work.then(resolve, reject).finally(() => timer.cancel());
  });

export const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve);
  });

/** The deadline of a request. */
export interface RequestDeadline {
  readonly passed: HandsetError | null;
  /** Calls `late` once, when the time is up. Returns a function that cancels the call. */
  watch(late: (error: HandsetError) => void): () => void;
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
}
