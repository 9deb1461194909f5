/** The engine's manager of retries, in less memory. */
import type { MessageRetryManager } from 'baileys';
import { BoundedCache } from './bounded-cache.ts';

const hourMs = 3_600_000;

/** As much of a cache as it uses. */
const cacheOf = (size: number, lifeMs: number) => {
  const cache = new BoundedCache<unknown>(size, lifeMs);
  return {
    get: (key: string) => cache.get(key),
    set: (key: string, value: unknown) => cache.set(key, value),
    delete: (key: string) => cache.del(key),
    clear: () => cache.flushAll(),
  };
};

/**
 * `isSpent`: messages that their sender is not asked for any more.
 *
 * It keeps retries from holding up what comes after them; the messages themselves are in the store. Its four caches take 76 kB as they begin, a sixth of
 * all that an idle device holds.
 */
export const lighten = (manager: MessageRetryManager, isSpent: (messageId: string) => boolean = () => false): void => {
  const hasExceeded = manager.hasExceededMaxRetries.bind(manager);
  manager.hasExceededMaxRetries = (id) => isSpent(id) || hasExceeded(id);
  manager.addRecentMessage = () => {};
  Object.assign(manager, {
    recentMessagesMap: cacheOf(1, hourMs),
    sessionRecreateHistory: cacheOf(500, 2 * hourMs),
    retryCounters: cacheOf(500, hourMs / 4),
    baseKeys: cacheOf(1_024, hourMs / 4),
  });
};
