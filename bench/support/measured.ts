/** A part of `npm run bench:all`: its measurements and their format. */

export interface Scale {
  /** Ratios only, measured in seconds. */
  readonly short: boolean;
}

export interface Measured {
  /** Figures by name in `bench/results.json`. */
  readonly figures: Readonly<Record<string, number>>;
  /** Ratios by CPU time. */
  readonly byCpu?: Readonly<Record<string, number>>;
}

/** A file in `bench/figures`, by its name without `.ts`. */
export interface Part {
  readonly name: string;
  readonly measure: (scale: Scale) => Promise<Measured>;
}

export const quantile = (numbers: readonly number[], q: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * q))] ?? Number.NaN;

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

/** Rounds to significant digits. */
export const rounded = (value: number, digits = 3): number => Number(value.toPrecision(digits));
