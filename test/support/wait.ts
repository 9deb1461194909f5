/** Waiting for conditions instead of sleeping. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again until `probe` gives something other than undefined/null/false. Throws with `what` after `timeoutMs`. */
export const eventually = async <T>(
  what: string,
  probe: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  timeoutMs = 30_000,
): Promise<T> => {
  const end = performance.now() + timeoutMs;
  let last: unknown;
  while (performance.now() < end) {
    try {
      const value = await probe();
      if (value !== undefined && value !== null && value !== false) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    await sleep(20);
  }
  throw new Error(`Waited ${timeoutMs} ms in vain for: ${what}${last instanceof Error ? ` (${last.message})` : ''}`, {
    cause: last,
  });
};
