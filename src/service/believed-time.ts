/** How far a clock is believed that somebody may have set by mistake: what is forgotten by a wrong one does not come back. */
import type { Clock } from '../domain/clock.ts';

const hourMs = 3_600_000;
/** A clock that is so far ahead of what has passed was set. */
export const jumpMs = hourMs;
/** For so long nothing is forgotten by what it says then: who set it by mistake has time to set it right. */
export const doubtMs = hourMs;

/** The time; after a jump ahead for an hour that of before, which goes on. `elapsed`: milliseconds of a clock that nobody sets. */
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
