/**
 * `numbers`: accounts of numbers; `people`: about texts and pictures. Look-ups are limited to protect the account
 * (docs/spec/conversation.md, Look-ups).
 */
export type LookUpKind = 'numbers' | 'people';

export interface LookUpStore {
  /** Counts `count` look-ups for the day. Returns false, and counts nothing, if that would exceed `most`. */
  take(
    deviceId: number,
    kind: LookUpKind,
    wish: { readonly count: number; readonly most: number; readonly now: number },
  ): Promise<boolean>;
}
