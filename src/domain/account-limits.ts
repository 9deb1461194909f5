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

/** A limit that holds at a moment. */
export interface Limit {
  readonly kind: 'timeLock' | 'newChats';
  /** Ms; null: the network did not say. */
  readonly until: number | null;
  /** A half sentence about "the account". */
  readonly words: string;
}

export const limitAt = ({ lockedUntil, newChats }: AccountLimits, now: number): Limit | null => {
  if (lockedUntil !== null && lockedUntil > now) {
    const words = `may not begin new chats until ${isoOf(lockedUntil)} (time lock)`;
    return { kind: 'timeLock', until: lockedUntil, words };
  }
  if (newChats?.reached !== true || (newChats.resetsAt !== null && newChats.resetsAt <= now)) return null;
  const until = newChats.resetsAt === null ? '' : ` until ${isoOf(newChats.resetsAt)}`;
  const words = `has begun as many new chats as the network allows${countOf(newChats)}, and may begin no more${until}`;
  return { kind: 'newChats', until: newChats.resetsAt, words };
};

/** The limit that holds now as a half sentence about "the account"; null: none does. */
export const limitInForce = (limits: AccountLimits, now: number): string | null => limitAt(limits, now)?.words ?? null;

/** In words that a person can act on. */
export const restrictionWords = ({ words, until }: Limit): string =>
  `The network has restricted the account: it ${words}. Chats that are there go on. Begin no others ${until === null ? 'for now' : 'until then'}, and let people write first.`;

/** A lock without an end is told with another end each time: it is the same one. */
const slackMs = 120_000;

const isSame = (a: Limit, b: Limit): boolean =>
  a.kind === b.kind && (a.until === b.until || Math.abs((a.until ?? 0) - (b.until ?? 0)) < slackMs);

/** The news in a change; null: there is none, since the same holds as before, or nothing did. */
export const limitNews = (
  before: AccountLimits,
  after: AccountLimits,
  now: number,
): { readonly until: string | null; readonly reason: string | null } | null => {
  const limit = limitAt(after, now);
  if (limit === null) return limitAt(before, now) === null ? null : { until: null, reason: null };
  const former = limitAt(before, now - slackMs);
  if (former !== null && isSame(former, limit)) return null;
  return { until: limit.until === null ? null : isoOf(limit.until), reason: restrictionWords(limit) };
};
