/** LRU caches of bounded size, portions of a shared cache, and adapters for Baileys. */
import type { CacheStore } from 'baileys';
import { LRUCache } from 'lru-cache';

export interface BoundedCache<V> {
  readonly size: number;
  get(key: string): V | undefined;
  /** `ttl`, ms: a different lifetime for this entry. */
  set(key: string, value: V, options?: { readonly ttl: number }): unknown;
  delete(key: string): boolean;
  clear(): void;
  entries(): Iterable<[string, V]>;
}

/**
 * Bounds `lru-cache` by entry sizes of one. Bounded by number, each cache would allocate arrays of that length, and an idle device has a
 * dozen caches. The type excludes null, which is stored like any other value.
 */
export const boundedCache = <V>(size: number, lifeMs = 0): BoundedCache<V> => {
  const cache: unknown = new LRUCache({
    maxSize: size,
    sizeCalculation: () => 1,
    ttl: lifeMs,
    ttlResolution: 0,
    perf: Date,
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- null is the only difference
  return cache as BoundedCache<V>;
};

/** One owner's part of a shared cache, whose size does not grow with the number of owners. */
export interface Portion<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

export const portionOf = <V>(shared: BoundedCache<V>, owner: string): Portion<V> => ({
  get: (key) => shared.get(`${owner} ${key}`),
  set: (key, value) => void shared.set(`${owner} ${key}`, value),
});

/** The reader of a Baileys CacheStore determines the type of a value. */
export const forEngine = <V>(cache: BoundedCache<V>): CacheStore => ({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reader knows what was set
  get: (key) => cache.get(key) as never,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the cache does not care what it holds
  set: (key, value) => cache.set(key, value as never) !== undefined,
  del: (key) => void cache.delete(key),
  flushAll: () => cache.clear(),
});

export const engineCache = (size: number, lifeMs?: number): CacheStore =>
  forEngine(boundedCache<unknown>(size, lifeMs));
