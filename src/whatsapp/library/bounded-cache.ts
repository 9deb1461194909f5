/** LRU caches of bounded size, and portions of a shared cache. */
import { LRUCache } from 'lru-cache';
import { atMost } from '../../domain/at-most.ts';

export interface BoundedCache<V> {
  readonly size: number;
  get(key: string): V | undefined;
  set(key: string, value: V, options?: { readonly ttl: number }): unknown;
  delete(key: string): boolean;
  clear(): void;
  entries(): Iterable<[string, V]>;
}

/** The type excludes null. */
export const boundedCache = <V>(size: number, lifeMs = 0): BoundedCache<V> => {
  const cache: unknown = new LRUCache({
    ...atMost(size),
    ttl: lifeMs,
    ttlResolution: 0,
    perf: Date,
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- null is the only difference
  return cache as BoundedCache<V>;
};

export interface Portion<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

export const portionOf = <V>(shared: BoundedCache<V>, owner: string): Portion<V> => ({
  get: (key) => shared.get(`${owner} ${key}`),
  set: (key, value) => void shared.set(`${owner} ${key}`, value),
});
