/**
 * Delays 429s by up to a second for clients that keep retrying, which would keep the process busy with refusals. The first
 * refusals are immediate, so a client that heeds `Retry-After` never notices.
 */
import { LRUCache } from 'lru-cache';
import { HandsetError } from '../../errors.ts';

const free = 20;
const stepMs = 10;
const maxMs = 1_000;
const halfLifeMs = 5_000;
const maxWaiting = 5_000;
const max = 20_000;

export const makeTarpit = (now: () => number = () => performance.now()) => {
  const counts = new LRUCache<string, { readonly value: number; readonly at: number }>({ max });
  let waiting = 0;
  const count = (client: string): number => {
    const at = now();
    const before = counts.get(client);
    const value = 1 + (before === undefined ? 0 : before.value * 0.5 ** ((at - before.at) / halfLifeMs));
    counts.set(client, { value, at });
    return value;
  };
  return {
    /** Delays only 429s of clients that have had many. */
    async delay(client: string, error: unknown): Promise<void> {
      if (!(error instanceof HandsetError) || error.name !== 'RateLimited') return;
      const ms = Math.min(maxMs, Math.round((count(client) - free) * stepMs));
      if (ms <= 0 || waiting >= maxWaiting) return;
      waiting += 1;
      await new Promise((resolve) => setTimeout(resolve, ms));
      waiting -= 1;
    },
  };
};
