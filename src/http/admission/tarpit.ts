/**
 * Delays 429s for clients that keep retrying, by up to a second: otherwise hundreds of clients in a tight loop would keep
 * the process busy with refusals. The first refusals come at once, so a client that heeds `Retry-After` never notices.
 */
import { HandsetError } from '../../errors.ts';

/** Refusals within a few seconds that are answered at once. */
const free = 20;
const stepMs = 10;
const mostMs = 1_000;
/** The count halves in this time. */
const halfLifeMs = 5_000;
/** Answers that wait at a time; beyond it they go out at once, so that what waits stays small. */
const mostWaiting = 5_000;
const capacity = 20_000;

interface Count {
  readonly value: number;
  readonly at: number;
}

export interface SlowDown {
  /** Waits before the error is answered, when it is a refusal of somebody who has had many. */
  refuse(who: string, error: unknown): Promise<void>;
}

export const slowDown = (now: () => number = () => performance.now()): SlowDown => {
  const counts = new Map<string, Count>();
  let waiting = 0;
  const count = (who: string): number => {
    const at = now();
    const before = counts.get(who);
    const left = before === undefined ? 0 : before.value * 0.5 ** ((at - before.at) / halfLifeMs);
    counts.delete(who);
    counts.set(who, { value: left + 1, at });
    const oldest = counts.keys().next();
    if (counts.size > capacity && oldest.done !== true) counts.delete(oldest.value);
    return left + 1;
  };
  return {
    async refuse(who, error) {
      if (!(error instanceof HandsetError) || error.name !== 'RateLimited') return;
      const ms = Math.min(mostMs, Math.round((count(who) - free) * stepMs));
      if (ms <= 0 || waiting >= mostWaiting) return;
      waiting += 1;
      await new Promise((resolve) => setTimeout(resolve, ms));
      waiting -= 1;
    },
  };
};
