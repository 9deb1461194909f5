/** The deadline of a whole request: reading its body and answering it (decisions.md, Errors: 408). */
import type { Clock } from '../domain/clock.ts';
import { requestTimeout } from './errors.ts';

export interface Deadline {
  /** Aborted with RequestTimeout when the time is up. */
  readonly signal: AbortSignal;
  /** The outcome of `work`, or RequestTimeout when that takes too long. */
  race<T>(work: Promise<T>): Promise<T>;
  cancel(): void;
}

export const startDeadline = (clock: Clock, ms: number): Deadline => {
  const controller = new AbortController();
  const { signal } = controller;
  const timer = clock.after(ms, () => controller.abort(requestTimeout()));
  return {
    signal,
    cancel: () => timer.cancel(),
    race: <T>(work: Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const late = (): void => reject(signal.reason);
        if (signal.aborted) late();
        signal.addEventListener('abort', late, { once: true });
        work.then(resolve, reject).finally(() => signal.removeEventListener('abort', late));
      }),
  };
};
