/** Privacy tokens of an account, as the server keeps them. */
import type { Account } from '../../types.ts';

export interface GivenToken {
  readonly token: Uint8Array;
  /** Seconds. */
  readonly at: number;
}

/** Counts of the tokens in messages to an account that demanded one. */
export interface CarriedTokens {
  tctoken: number;
  cstoken: number;
  /** A token that is not the right one. */
  wrong: number;
  none: number;
}

/** Tokens of one account. */
export interface Tokens {
  /** Its tokens, by those who have them. */
  readonly given: Map<Account, GivenToken>;
  /** Key of the cstokens that its devices make. */
  nctSalt: Uint8Array | null;
  /** It demands a token of whom it has no chat with. */
  required: boolean;
  readonly carried: CarriedTokens;
}

export const newTokens = (): Tokens => ({
  given: new Map(),
  nctSalt: null,
  required: false,
  carried: { tctoken: 0, cstoken: 0, wrong: 0, none: 0 },
});
