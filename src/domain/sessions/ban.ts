/** Temporary bans, during which the link is kept and no connection is attempted, and restrictions of a linked account. Pure. */
import { type AccountLimits, limitNews, noLimits, sameLimits } from '../account-limits.ts';
import { type Session, type Step, disarm, closedFacts, farewell, record, stay } from './session.ts';
import type { SessionState, TemporaryBan } from './state.ts';
import type { Report } from '../changes.ts';

export const bannedUntil = (state: SessionState, now: number): number | null => {
  const until = state.kind === 'reconnecting' ? (state.ban?.until ?? null) : null;
  return until !== null && until > now ? until : null;
};

/** The end of an open session is reported at once, as it cannot resume within the grace. */
export const temporarilyBanned = (session: Session, ban: TemporaryBan, now: number): Step => {
  const { state } = session;
  const since = state.kind === 'reconnecting' ? state.since : now;
  const again = state.kind === 'reconnecting' && state.ban !== undefined;
  // A ban without an end is retried with growing delays.
  const attempt = again ? session.attempt + 1 : 0;
  const detail = 'the account is temporarily banned';
  const data = { reason: 'temporarily_banned', willReconnect: true, until: ban.until } as const;
  return {
    session: {
      ...session,
      state: { kind: 'reconnecting', since, attempt, detail, unannounced: false, pace: 'slow', ban },
      attempt,
      announcedOpen: false,
    },
    effects: [
      disarm,
      ...farewell(session, closedFacts(session, data, now), now),
      ban.until === null ? { kind: 'retry', attempt, pace: 'slow' } : { kind: 'retry_at', at: ban.until },
    ],
  };
};

/** Reported once per change, even over restarts. */
export const restricted = (session: Session, limits: AccountLimits, now: number): Step => {
  const before = session.limits ?? noLimits;
  if (sameLimits(before, limits)) return stay(session);
  const news = limitNews(before, limits, now);
  const facts: Report[] = news === null ? [] : [{ event: { type: 'account.limited', data: news }, at: now }];
  return {
    session: { ...session, limits },
    effects: [record(facts.length === 0 ? { limits } : { limits, facts })],
  };
};
