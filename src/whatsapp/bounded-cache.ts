/** A least-recently-used cache of bounded size, in the shape that Baileys asks of its caches. */

export class BoundedCache {
  readonly #entries = new Map<string, { readonly value: unknown; readonly until: number }>();
  readonly #size: number;
  readonly #lifeMs: number;
  readonly #now: () => number;

  constructor(size: number, lifeMs = Number.POSITIVE_INFINITY, now: () => number = Date.now) {
    this.#size = size;
    this.#lifeMs = lifeMs;
    this.#now = now;
  }

  // Baileys' CacheStore leaves the type of a value to its reader.
  get<T>(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until <= this.#now()) return undefined;
    this.#entries.set(key, entry);
    return entry.value as T;
  }

  /** `lifeMs` where this entry lives shorter or longer than the others. */
  set<T>(key: string, value: T, lifeMs = this.#lifeMs): boolean {
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: this.#now() + lifeMs });
    if (this.#entries.size > this.#size) {
      const oldest = this.#entries.keys().next();
      if (oldest.done !== true) this.#entries.delete(oldest.value);
    }
    return true;
  }

  del(key: string): void {
    this.#entries.delete(key);
  }

  flushAll(): void {
    this.#entries.clear();
  }

  mget<T>(keys: readonly string[]): Promise<Record<string, T | undefined>> {
    return Promise.resolve(Object.fromEntries(keys.map((key) => [key, this.get<T>(key)])));
  }

  mset<T>(entries: readonly { readonly key: string; readonly value: T }[]): boolean {
    for (const { key, value } of entries) this.set(key, value);
    return true;
  }

  get size(): number {
    return this.#entries.size;
  }
}
