/** The outcome of comparing a file with the form in which it goes out. */

/** A file in another form: `wanted`, in words, is the form that it should have; `keep`: which of its first tracks have it already. */
export interface Unfit {
  readonly wanted: string;
  readonly keep: { readonly video: boolean; readonly audio: boolean };
}

export type Judged<Facts> = { readonly fit: Facts } | Unfit;

/** The apps show whole seconds, and 0 as no length. */
export const wholeSeconds = (seconds: number): number => Math.max(1, Math.round(seconds));
