/** Chance from a seed: the same seed makes the same choices, though not at the same instants. */

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  pick<T>(list: readonly T[]): T;
  chance(share: number): boolean;
  /** Another stream, that this one's use does not disturb. */
  fork(): Random;
}

/** Mulberry32. */
export const randomOf = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const random: Random = {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (list) => list[Math.floor(next() * list.length)]!,
    chance: (share) => next() < share,
    fork: () => randomOf(Math.floor(next() * 4_294_967_296)),
  };
  return random;
};
