/** Percentiles, and waiting for what a benchmark waits for. */

/** `share` in [0, 1]. */
export const percentile = (figures: readonly number[], share: number): number => {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

export const until = async (what: string, probe: () => Promise<boolean>, timeoutMs = 600_000): Promise<void> => {
  const end = performance.now() + timeoutMs;
  while (performance.now() < end) {
    if (await probe()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`waited in vain for ${what}`);
};

export const ms = (figure: number): string => `${figure.toFixed(1)} ms`;
