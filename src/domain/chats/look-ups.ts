/** The count of look-ups, which are limited for the account's sake (docs/spec/conversation.md, Look-ups). */

/** `numbers`: accounts of numbers; `people`: texts and pictures of people. */
export type LookUpKind = 'numbers' | 'people';

export interface LookUpStore {
  /** Counts `count` look-ups for the day; false, and nothing is counted, where there would be more than `most`. */
  take(
    deviceId: number,
    kind: LookUpKind,
    wish: { readonly count: number; readonly most: number; readonly now: number },
  ): Promise<boolean>;
}
