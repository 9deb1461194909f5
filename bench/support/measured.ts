/** What one part of `npm run bench:all` measures, and how it is told. */

export interface Scale {
  /** Less of everything: ratios only, in seconds. */
  readonly short: boolean;
  /** Where the processes put their CPU profiles; null: none are made. */
  readonly profile: string | null;
  /** The numbers of devices at which growth is measured. */
  readonly sizes: readonly number[];
}

/** A figure at 1, 10, 100, … devices. */
export interface Growth {
  readonly title: string;
  readonly unit: string;
  /** What it grows along, one after the other; devices, by powers of ten, where it is not said. */
  readonly along?: string;
  /** Of the figure; `log` where it falls by more than a glance can follow. */
  readonly scale?: 'linear' | 'log';
  readonly lines: readonly { readonly name: string; readonly points: readonly (readonly [number, number])[] }[];
}

export interface Measured {
  /** By their names in `bench/results.json`. */
  readonly figures: Readonly<Record<string, number>>;
  /** The ratios among them, as CPU time has them. */
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

/** To `digits` digits that mean something. */
export const rounded = (value: number, digits = 3): number => Number(value.toPrecision(digits));
