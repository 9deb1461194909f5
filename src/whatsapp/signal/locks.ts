/** Mutual exclusion by name, first come first served; a name that nobody holds or waits for takes no memory. */
import { Mutex } from 'async-mutex';

const isLidName = (name: string): boolean => /_(?:1|129)(?:\.|::)/.test(name);

/**
 * The order in which several locks are taken: LID addresses before phone addresses. The holder of a LID lock may therefore wait
 * for the phone lock of the same person (to move a record over), and nobody waits the other way round.
 */
const compare = (a: string, b: string): number => {
  const rank = Number(!isLidName(a)) - Number(!isLidName(b));
  if (rank !== 0) return rank;
  return a < b ? -1 : Number(a > b);
};

export class Locks {
  readonly #mutexes = new Map<string, Mutex>();

  /** Waits for all the names; resolves with a function that releases them. */
  async acquire(names: readonly string[]): Promise<() => void> {
    const releases: (() => void)[] = [];
    for (const name of [...new Set(names)].sort(compare)) releases.push(await this.#acquire(name));
    return () => {
      for (const release of releases) release();
    };
  }

  /** The number of names that are held at this moment. */
  get size(): number {
    return this.#mutexes.size;
  }

  async #acquire(name: string): Promise<() => void> {
    const mutex = this.#mutexes.get(name) ?? new Mutex();
    this.#mutexes.set(name, mutex);
    const release = await mutex.acquire();
    return () => {
      release();
      if (!mutex.isLocked() && this.#mutexes.get(name) === mutex) this.#mutexes.delete(name);
    };
  }
}
