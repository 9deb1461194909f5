/** Mutual exclusion by name, first come first served; a name that nobody holds or waits for takes no memory. */
import { Mutex } from 'async-mutex';

const lidName = /_(?:1|129)(?:\.|::)/;

/**
 * The order in which several locks are taken: LID addresses before phone addresses. The holder of a LID lock may therefore wait
 * for the phone lock of the same person (to move a record over), and nobody waits the other way round.
 */
const compare = (a: string, b: string): number => {
  const rank = Number(lidName.test(b)) - Number(lidName.test(a));
  if (rank !== 0) return rank;
  return a < b ? -1 : Number(a > b);
};

export class Locks {
  readonly #mutexes = new Map<string, Mutex>();

  /** Waits for all the names; resolves with a function that releases them. */
  async acquire(names: readonly string[]): Promise<() => void> {
    const held: [name: string, mutex: Mutex][] = [];
    for (const name of names.length > 1 ? [...new Set(names)].sort(compare) : names) {
      const mutex = this.#mutexes.get(name) ?? new Mutex();
      this.#mutexes.set(name, mutex);
      await mutex.acquire();
      held.push([name, mutex]);
    }
    return () => {
      for (const [name, mutex] of held.splice(0)) {
        mutex.release();
        if (!mutex.isLocked()) this.#mutexes.delete(name);
      }
    };
  }

  /** The number of names that are held at this moment. */
  get size(): number {
    return this.#mutexes.size;
  }
}
