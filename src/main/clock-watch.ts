/** Detects changes of the system clock. Timers are not affected, but readers of timestamps should know. */
import type { Clock } from '../domain/clock.ts';
import type { Logger } from '../log.ts';

const lookMs = 10_000;
const worthTellingMs = 5_000;

export const watchClock = (
  clock: Clock,
  log: Logger,
  elapsed: () => number = () => performance.now(),
): (() => void) => {
  let before = { wall: clock.now(), steady: elapsed() };
  let stopped = false;
  let timer = clock.after(lookMs, look);
  function look(): void {
    const now = { wall: clock.now(), steady: elapsed() };
    const jumpMs = Math.round(now.wall - before.wall - (now.steady - before.steady));
    if (Math.abs(jumpMs) > worthTellingMs) {
      log.warn({ jumpMs }, 'the clock of this machine was set; check that it is kept by NTP');
    }
    before = now;
    if (!stopped) timer = clock.after(lookMs, look);
  }
  return () => {
    stopped = true;
    timer.cancel();
  };
};
