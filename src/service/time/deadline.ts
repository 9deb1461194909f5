/** Waits with an end, by the clock of the service, which tests can move. */
import type { Clock } from '../../domain/clock.ts';
import type { HandsetError } from '../../errors.ts';

/** Thrown when the time is up; the work goes on and its outcome is ignored. */
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

export interface RequestDeadline {
  readonly passed: HandsetError | null;
  /** Calls `late` once, when the time is up. Returns a function that cancels the call. */
  watch(late: (error: HandsetError) => void): () => void;
  readonly signal: AbortSignal;
}
