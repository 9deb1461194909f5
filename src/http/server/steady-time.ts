/** Time that never goes back: a clock that is set back must not lock anybody out for as long as the jump. */
import type { Clock } from '../../domain/clock.ts';

/** Milliseconds, of which only differences count. */
export const steadyTime = (clock: Pick<Clock, 'now'>): (() => number) => {
  let last = clock.now();
  let added = 0;
  return () => {
    const now = clock.now() + added;
    if (now < last) {
      added += last - now;
      return last;
    }
    last = now;
    return now;
  };
};
