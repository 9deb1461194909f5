/** Waiting for conditions instead of sleeping. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds: who has waited long need not ask as often, for the answer takes from what is waited for. */
const pauseAfter = (waited: number): number => Math.min(20 + waited / 20, 60);

/** Asks again until `probe` gives something other than undefined/null/false. Throws with `what` after `timeoutMs`. */
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
