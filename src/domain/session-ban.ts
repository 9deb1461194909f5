/** A session during a temporary ban: the link is kept, nobody knocks before the ban is over, and then it comes back. Pure. */
import type { Life, Step } from './session.ts';
import type { SessionState, TemporaryBan } from './session-state.ts';
import { calm, closedEvents, farewell } from './session-steps.ts';

/** When the ban that holds a session back is over, ms; null: none does, or nobody knows. */
export const bannedUntil = (session: SessionState, now: number): number | null => {
  const until = session.kind === 'reconnecting' ? (session.ban?.until ?? null) : null;
  return until !== null && until > now ? until : null;
};

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** The end of an open session is told at once: nothing will mend it within the grace. */
export const temporarilyBanned = (life: Life, ban: TemporaryBan, now: number): Step => {
  const { session } = life;
  const since = session.kind === 'reconnecting' ? session.since : now;
  const again = session.kind === 'reconnecting' && session.ban !== undefined;
  // A ban without an end is asked about again, and less and less often.
  const attempt = again ? life.attempt + 1 : 0;
  const detail = 'the account is temporarily banned';
  const data = { reason: 'temporarily_banned', willReconnect: true, until: isoOf(ban.until) } as const;
  return {
    life: {
      ...life,
      session: { kind: 'reconnecting', since, attempt, detail, unannounced: false, pace: 'slow', ban },
      attempt,
      announcedOpen: false,
    },
    effects: [
      calm,
      ...farewell(life, closedEvents(life, data, now), now),
      ban.until === null ? { kind: 'retry', attempt, pace: 'slow' } : { kind: 'retry_at', at: ban.until },
    ],
  };
};
