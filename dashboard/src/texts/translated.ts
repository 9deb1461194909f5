/** The type of a catalogue in any language. */
import type { english } from './en/index.ts';

/** A catalogue with the keys and functions of `T`, in another language. */
export type Translated<T> = T extends string
  ? string
  : T extends (...values: infer V) => string
    ? (...values: V) => string
    : { readonly [K in keyof T]: Translated<T[K]> };

export type Texts = Translated<typeof english>;
