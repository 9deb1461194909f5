/** Waiting for conditions instead of sleeping. */
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/clock.ts';
import type { Clock } from '../../src/domain/clock.ts';

/** Milliseconds. Longer waits poll less often, as polling slows down what is waited for. */
const pauseAfter = (waited: number): number => Math.min(20 + waited / 20, 60);

/** Polls until `probe` returns something other than undefined, null or false. Throws with `what` after `timeoutMs`. */
export const eventually = async <T>(
  what: string,
  probe: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  timeoutMs = 30_000,
): Promise<T> => {
  const began = performance.now();
  let last: unknown;
  while (performance.now() - began < timeoutMs) {
    try {
      const value = await probe();
      if (value !== undefined && value !== null && value !== false) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    await sleep(pauseAfter(performance.now() - began));
  }
  throw new Error(`Waited ${timeoutMs} ms in vain for: ${what}${last instanceof Error ? ` (${last.message})` : ''}`, {
    cause: last,
  });
};

const dayMs = 86_400_000;

/** Waits until after midnight if it is near, by UTC and by this clock, so that daily counts do not reset during a test. */
export const untilDayLasts = ({ now }: Pick<Clock, 'now'> = systemClock): Promise<boolean> =>
  eventually('midnight to be over', () => now() % dayMs < dayMs - 20_000);
