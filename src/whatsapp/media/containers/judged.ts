/** Results of comparing a file with the required format. */

/** A file in another format: `wanted` describes the required one; `keep` tells which of its first tracks already comply. */
export interface Unfit {
  readonly wanted: string;
  readonly keep: { readonly video: boolean; readonly audio: boolean };
}

export type Judged<Facts> = { readonly fit: Facts } | Unfit;

/** The apps show whole seconds, and treat 0 as no length. */
export const wholeSeconds = (seconds: number): number => Math.max(1, Math.round(seconds));
