/** Restrictions on an account, as last reported by the network. Sessions and existing chats keep working. */
import type { Jid } from './jid.ts';

export interface NewChatCap {
  readonly used: number | null;
  readonly limit: number | null;
  /** ms; null: unknown. */
  readonly resetsAt: number | null;
  readonly reached: boolean;
}

export interface AccountLimits {
  readonly lockedUntil: number | null;
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

const countOf = ({ used, limit }: NewChatCap): string =>
  used === null || limit === null ? '' : ` (${used} of ${limit})`;

export interface Limit {
  readonly kind: 'timeLock' | 'newChats';
  readonly until: number | null;
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

export const limitInForce = (limits: AccountLimits, now: number): string | null => limitAt(limits, now)?.words ?? null;

export const restrictionWords = ({ words, until }: Limit): string =>
  `The network has restricted the account: it ${words}. Existing chats are not affected. Begin no others ${until === null ? 'for now' : 'until then'}, and let people write first.`;

/** A lock without an end is reported with a different end each time; within this it counts as the same lock. */
const slackMs = 120_000;

const isSame = (a: Limit, b: Limit): boolean =>
  a.kind === b.kind && (a.until === b.until || Math.abs((a.until ?? 0) - (b.until ?? 0)) < slackMs);

/** Null if the same limit holds as before, or none did. */
export const limitNews = (
  before: AccountLimits,
  after: AccountLimits,
  now: number,
): { readonly until: number | null; readonly reason: string | null } | null => {
  const limit = limitAt(after, now);
  if (limit === null) return limitAt(before, now) === null ? null : { until: null, reason: null };
  const former = limitAt(before, now - slackMs);
  if (former !== null && isSame(former, limit)) return null;
  return { until: limit.until, reason: restrictionWords(limit) };
};

export const dayMs = 86_400_000;

export const nextDay = (now: number): number => (Math.floor(now / dayMs) + 1) * dayMs;

/** Counts the chats that a device starts per day (UTC), for its limit (docs/spec/devices.md, Limits). */
export interface NewChatStore {
  /** Counts a new chat once per person and day, over all nodes. False, counting nothing, above the limit. */
  begin(deviceId: number, person: Jid, limit: { readonly max: number; readonly now: number }): Promise<boolean>;
  count(deviceId: number, now: number): Promise<number>;
}
