/** Differences between the traffic of two clients in the same scenario. */

/** Lines of several runs of one client in one scenario. */
export type Runs = readonly (readonly string[])[];

/**
 * `- line` is sent by the first client only, `+ line` by the second only, each with a count where it is not one; `a < b` says that the
 * first client always sends `a` first and the second always sends `b` first.
 */
export interface Difference {
  readonly scenario: string;
  readonly text: string;
}

const countsOf = (lines: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
};

/** Items in every run, as often as in the run with the fewest. */
const always = (runs: Runs, pick: (...counts: number[]) => number): Map<string, number> => {
  const each = runs.map(countsOf);
  const lines = new Set(runs.flat());
  return new Map([...lines].map((line) => [line, pick(...each.map((counts) => counts.get(line) ?? 0))]));
};

const times = (count: number): string => (count === 1 ? '' : `${count}× `);

/** More often in every run of `mine` than in any run of `theirs`. */
const surplus = (mine: Runs, theirs: Runs): [string, number][] => {
  const most = always(theirs, Math.max);
  return [...always(mine, Math.min)]
    .map(([line, count]): [string, number] => [line, count - (most.get(line) ?? 0)])
    .filter(([, more]) => more > 0);
};

/** Pairs of which the first always comes before the second, by their first occurrences. */
const orders = (runs: Runs): Set<string> => {
  const positions = runs.map((lines) => new Map([...new Set(lines)].map((line) => [line, lines.indexOf(line)])));
  const [first = new Map<string, number>(), ...others] = positions;
  const common = [...first.keys()].filter((line) => others.every((other) => other.has(line)));
  const before = new Set<string>();
  for (const one of common) {
    for (const other of common) {
      if (one !== other && positions.every((at) => at.get(one)! < at.get(other)!)) before.add(`${one} < ${other}`);
    }
  }
  return before;
};

const swapped = (pair: string): string => pair.split(' < ').toReversed().join(' < ');

export const differences = (scenario: string, first: Runs, second: Runs): Difference[] => {
  const missing = surplus(first, second).map(([line, count]) => `- ${times(count)}${line}`);
  const added = surplus(second, first).map(([line, count]) => `+ ${times(count)}${line}`);
  const turned = orders(second);
  const order = [...orders(first)].filter((pair) => turned.has(swapped(pair)));
  return [...missing, ...added, ...order].map((text) => ({ scenario, text }));
};
