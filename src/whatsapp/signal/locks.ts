/** Mutual exclusion by name, first come first served; a name that nobody holds or waits for takes no memory. */

export interface Locks {
  /** Waits for all the names, in the one order that everybody keeps; resolves with the way to give them back. */
  acquire(names: readonly string[]): Promise<() => void>;
  /** How many names are held at this moment. */
  readonly size: number;
}

/**
 * The order in which several locks are taken: LID addresses before phone addresses. Whoever holds a LID lock may so
 * wait for the phone lock of the same person (to move a record over), and nobody waits the other way round.
 */
const compare = (a: string, b: string): number => {
  const rank = Number(!isLidName(a)) - Number(!isLidName(b));
  if (rank !== 0) return rank;
  return a < b ? -1 : Number(a > b);
};

const isLidName = (name: string): boolean => /_(?:1|129)(?:\.|::)/.test(name);

export const makeLocks = (): Locks => {
  /** The release of the last one in the queue, by name. */
  const tails = new Map<string, Promise<void>>();

  return {
    async acquire(names) {
      const releases: (() => void)[] = [];
      for (const name of names.length === 1 ? names : [...new Set(names)].sort(compare)) {
        const before = tails.get(name);
        const { promise, resolve } = Promise.withResolvers<void>();
        tails.set(name, promise);
        // What nobody holds is not waited for.
        if (before !== undefined) await before;
        releases.push(() => {
          if (tails.get(name) === promise) tails.delete(name);
          resolve();
        });
      }
      return () => {
        for (const release of releases) release();
      };
    },
    get size() {
      return tails.size;
    },
  };
};
