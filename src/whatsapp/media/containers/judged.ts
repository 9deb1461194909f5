/** Results of comparing a file with the required format. */

/** `wanted` describes the required format; `keep`: which of the first tracks comply. */
export interface Unfit {
  readonly wanted: string;
  readonly keep: { readonly video: boolean; readonly audio: boolean };
}

export type Judged<Facts> = { readonly fit: Facts } | Unfit;

export const wholeSeconds = (seconds: number): number => Math.max(1, Math.round(seconds));
