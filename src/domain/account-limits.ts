/** Restrictions on an account, as last reported by the network. The link and existing chats keep working. */

/** How many new chats the account may begin. */
export interface NewChatCap {
  readonly used: number | null;
  readonly limit: number | null;
  /** When it is counted anew, ms; null: the network did not say. */
  readonly resetsAt: number | null;
  /** None is left. */
  readonly reached: boolean;
}

export interface AccountLimits {
  /** The account may begin no new chats until then (ms): the time lock; null: there is none. */
  readonly lockedUntil: number | null;
  /** Null: the account has no cap. */
  readonly newChats: NewChatCap | null;
}

export const noLimits: AccountLimits = { lockedUntil: null, newChats: null };

const sameCap = (a: NewChatCap | null, b: NewChatCap | null): boolean =>
  a === b ||
  (a !== null &&
    b !== null &&
    a.used === b.used &&
    a.limit === b.limit &&
    a.resetsAt === b.resetsAt &&
    a.reached === b.reached);

export const sameLimits = (a: AccountLimits, b: AccountLimits): boolean =>
  a.lockedUntil === b.lockedUntil && sameCap(a.newChats, b.newChats);

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** "3 of 5", where that is known. */
const countOf = ({ used, limit }: NewChatCap): string =>
  used === null || limit === null ? '' : ` (${used} of ${limit})`;

/** The limit that holds now as a half sentence about "the account"; null: none does. */
export const limitInForce = ({ lockedUntil, newChats }: AccountLimits, now: number): string | null => {
  if (lockedUntil !== null && lockedUntil > now) {
    return `may not begin new chats until ${isoOf(lockedUntil)} (time lock)`;
  }
  if (newChats?.reached !== true || (newChats.resetsAt !== null && newChats.resetsAt <= now)) return null;
  const until = newChats.resetsAt === null ? '' : ` until ${isoOf(newChats.resetsAt)}`;
  return `has begun as many new chats as the network allows${countOf(newChats)}, and may begin no more${until}`;
};
