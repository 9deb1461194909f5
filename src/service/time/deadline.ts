/** Timeouts by the service's clock, which tests can move. */
import type { Clock } from '../../domain/clock.ts';
import type { HandsetError } from '../../errors.ts';

/** Thrown on timeout; the work goes on and its outcome is ignored. */
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
  watch(late: (error: HandsetError) => void): () => void;
  readonly signal: AbortSignal;
}

const hourMs = 3_600_000;
/** A clock this far ahead of the elapsed time was set. */
export const jumpMs = hourMs;
/** Nothing is deleted for this long after a jump, so that a mistake can be corrected. */
export const doubtMs = hourMs;

/** For an hour after a jump ahead, continues the time from before it. `elapsed`: ms of a monotonic clock. */
export const believedTime = (clock: Pick<Clock, 'now'>, elapsed = (): number => performance.now()): (() => number) => {
  let last = { wall: clock.now(), steady: elapsed() };
  let doubtedSince: number | null = null;
  return () => {
    const [wall, steady] = [clock.now(), elapsed()];
    const expected = last.wall + steady - last.steady;
    if (wall - expected > jumpMs) {
      doubtedSince ??= steady;
      if (steady - doubtedSince < doubtMs) return Math.round(expected);
    }
    last = { wall, steady };
    doubtedSince = null;
    return wall;
  };
};
