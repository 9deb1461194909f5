/** A large body takes up memory that others wait for: it comes at a least rate, or not at all. */
import type { Clock, Timer } from '../../domain/clock.ts';
import { HandsetError } from '../../errors.ts';

const windowMs = 10_000;
const bytesPerSecond = 32_768;

/**
 * Calls `fail` when less than the least rate has come within any ten seconds; gives the way to stop watching. `isAsked`: false while
 * it is not the sender that is waited for.
 */
export const watchRate = (
  clock: Pick<Clock, 'after'>,
  received: () => number,
  fail: (error: Error) => void,
  isAsked: () => boolean = () => true,
): (() => void) => {
  let seen = 0;
  let timer: Timer;
  const look = (): void => {
    const now = received();
    if (isAsked() && now - seen < (bytesPerSecond * windowMs) / 1000) {
      fail(new HandsetError('RequestTimeout', 'The body comes too slowly; at least 32 kB a second are needed'));
      return;
    }
    seen = now;
    timer = clock.after(windowMs, look);
  };
  timer = clock.after(windowMs, look);
  return () => timer.cancel();
};
