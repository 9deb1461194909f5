/** A least-recently-used cache of bounded size, and the same in the shape that Baileys asks of its caches. */
import type { CacheStore } from 'baileys';

interface Entry<V> {
  readonly value: V;
  readonly until: number;
}

export class BoundedCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #size: number;
  readonly #lifeMs: number;
  readonly #now: () => number;

  constructor(size: number, lifeMs = Number.POSITIVE_INFINITY, now: () => number = Date.now) {
    this.#size = size;
    this.#lifeMs = lifeMs;
    this.#now = now;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until !== Number.POSITIVE_INFINITY && entry.until <= this.#now()) {
      this.#entries.delete(key);
      return undefined;
    }
    // While there is room for as many again, nobody asks which was used last.
    if (2 * this.#entries.size > this.#size) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry.value;
  }

  /** `lifeMs` where this entry lives shorter or longer than the others. */
  set(key: string, value: V, lifeMs = this.#lifeMs): boolean {
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: this.#now() + lifeMs });
    if (this.#entries.size > this.#size) this.#makeRoom();
    return true;
  }

  /** Several at once where there are many: a map goes over all that it has deleted to find its first. */
  #makeRoom(): void {
    let left = 1 + (this.#size >> 5);
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      left -= 1;
      if (left === 0) return;
    }
  }

  del(key: string): void {
    this.#entries.delete(key);
  }

  flushAll(): void {
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }
}

/** What one of many owners keeps in a cache that they share: its size does not grow with their number. */
export interface Portion<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

export const portionOf = <V>(shared: BoundedCache<V>, owner: string): Portion<V> => ({
  get: (key) => shared.get(`${owner} ${key}`),
  set: (key, value) => void shared.set(`${owner} ${key}`, value),
});

/** Baileys' CacheStore leaves the type of a value to whoever reads it. */
export const forEngine = <V>(cache: BoundedCache<V>): CacheStore => ({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whoever reads it knows what was set
  get: (key) => cache.get(key) as never,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the cache does not care what it holds
  set: (key, value) => cache.set(key, value as never),
  del: (key) => cache.del(key),
  flushAll: () => cache.flushAll(),
});

export const engineCache = (size: number, lifeMs?: number): CacheStore =>
  forEngine(new BoundedCache<unknown>(size, lifeMs));
