/** Remembers which nonces have been used, each for as long as its signature is good, within bounded memory. */

/** About 40 MB at most, and 4,000 requests a second that other nodes pass on. */
const most = 250_000;

export interface Nonces {
  /** False when it has been used, or may have been. `at`: when it was made; `since`: signatures from before are refused anyway. */
  take(nonce: string, at: number, since: number): boolean;
}

export const usedNonces = (capacity = most): Nonces => {
  const used = new Map<string, number>();
  /** Nonces up to this time may have been forgotten: they are refused. */
  let floor = -Infinity;
  const forget = (since: number): void => {
    // In the order in which they came: some that are old may wait behind a newer one.
    for (const [nonce, at] of used) {
      if (at >= since && used.size < capacity) return;
      used.delete(nonce);
      if (at >= since) floor = Math.max(floor, at);
    }
  };
  return {
    take(nonce, at, since) {
      if (at <= floor || used.has(nonce)) return false;
      forget(since);
      used.set(nonce, at);
      return true;
    },
  };
};
