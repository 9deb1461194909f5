/** The state machine of a device's session. Pure, so that a table of tests covers every case. */
import { noLimits } from '../account-limits.ts';
import type { SessionChanges } from '../changes.ts';
import { bannedUntil, restricted, temporarilyBanned } from './ban.ts';
import {
  type SessionEvent,
  type Session,
  type Step,
  disarm,
  close,
  closedFacts,
  connect,
  farewell,
  record,
  seen,
  stay,
  timeoutFacts,
} from './session.ts';
import { failedAttempt, giveUp, linked, linkRefused, offer, passkey } from './pairing.ts';
import type { Account, ClosedReason, DisconnectReason, Pace, Backlog } from './state.ts';
import { graceMs, sameAccount } from './state.ts';

/** A session open for less than this keeps its backoff, so that a flapping connection causes no storm. */
const steadyMs = 30_000;
const flapAttempts = 2;
/** A 401 right after linking is not always a logout: the first sessions are retried. */
const freshAttempts = 3;

const begin = (session: Session): Step => ({
  session: { ...session, state: { kind: 'connecting' }, attempt: 0, code: null, notice: null },
  effects: [disarm, connect],
});

/** An unlinked device starts a new pairing (docs/spec/devices.md, States and transitions). */
const activate = (session: Session): Step => (session.state.kind === 'closed' ? begin(session) : stay(session));

/** After a crash with an announced session, the grace decides whether its loss is reported. */
const restore = (session: Session, now: number): Step => {
  const until = bannedUntil(session.state, now);
  if (until !== null) return { session, effects: [{ kind: 'retry_at', at: until }] };
  if (session.state.kind === 'reconnecting') return { session, effects: [{ kind: 'grace', ms: graceMs }, connect] };
  return session.state.kind === 'connecting' ? { session, effects: [connect] } : stay(session);
};

const restart = (session: Session, now: number): Step => ({
  session: { ...session, state: { kind: 'connecting' }, attempt: 0, announcedOpen: false, code: null, notice: null },
  effects: [
    disarm,
    ...farewell(session, closedFacts(session, { reason: 'restart', willReconnect: true }, now), now),
    connect,
  ],
});

/** The authentication state is kept. A pairing resumes after a shutdown. */
const stop = (session: Session, reason: 'inactive' | 'shutdown', now: number): Step => {
  if (reason === 'shutdown' && session.state.kind === 'closed') return stay(session);
  const facts = closedFacts(session, { reason, willReconnect: reason === 'shutdown' }, now);
  const over = reason === 'inactive' && session.offered;
  return {
    session: {
      ...session,
      state: { kind: 'closed', reason, detail: null },
      announcedOpen: false,
      offered: false,
      notice: null,
    },
    effects: [
      disarm,
      ...farewell(session, facts, now),
      ...(over ? [record({ facts: timeoutFacts(session, now), pairingAt: null })] : []),
      close,
    ],
  };
};

const pairingOver = ({ freshlyLinked }: Session): SessionChanges => (freshlyLinked ? { pairingAt: null } : {});

const detailOf = (said: string | undefined): string | null => (said === undefined ? null : `the network says: ${said}`);

const unlink = (
  session: Session,
  closed: ClosedReason,
  told: 'requested' | 'removed_by_phone' | 'banned',
  now: number,
  said?: string,
): Step => ({
  session: {
    ...session,
    state: { kind: 'closed', reason: closed, detail: detailOf(said) },
    account: null,
    announcedOpen: false,
    offered: false,
    notice: null,
    freshlyLinked: false,
    limits: noLimits,
  },
  effects: [
    disarm,
    record(
      {
        ...seen(session, now),
        account: null,
        announcedOpen: false,
        limits: noLimits,
        ...pairingOver(session),
        facts: [
          ...closedFacts(session, { reason: told, willReconnect: false }, now),
          { event: { type: 'connection.logout', data: { reason: told } }, at: now },
        ],
      },
      true,
    ),
    close,
  ],
});

const open = (session: Session, account: Account, now: number): Step => {
  const { jid, lid, phoneNumber, name } = account;
  const event = { type: 'connection.open', data: { phoneNumber, jid, lid, name } } as const;
  const changes: SessionChanges = {
    ...(sameAccount(session.account, account) ? {} : { account }),
    ...pairingOver(session),
    ...(session.announcedOpen ? {} : { announcedOpen: true, lastSeenAt: now, facts: [{ event, at: now }] }),
  };
  const cameBack = session.state.kind === 'reconnecting' && !session.freshlyLinked;
  return {
    session: {
      ...session,
      state: { kind: 'open', since: session.state.kind === 'open' ? session.state.since : now, account },
      account,
      announcedOpen: true,
      offered: false,
      notice: null,
      freshlyLinked: false,
      reconnects: session.reconnects + (cameBack ? 1 : 0),
    },
    effects: [disarm, ...(Object.keys(changes).length > 0 ? [record(changes)] : [])],
  };
};

/** A linked device reconnects by itself, forever (docs/spec/devices.md, Reconnecting). */
const lost = (session: Session, detail: string, now: number, pace: Pace = 'fast'): Step => {
  const { state } = session;
  if (session.account === null) {
    // Nobody waits minutes for a QR.
    return pace === 'slow' ? giveUp(session, 'pairing_failed', detail, now) : failedAttempt(session, detail, now);
  }
  if (state.kind === 'open') {
    const attempt = now - state.since >= steadyMs ? 0 : Math.min(session.attempt + 1, flapAttempts);
    return {
      session: {
        ...session,
        state: { kind: 'reconnecting', since: now, attempt, detail, unannounced: true, pace },
        attempt,
      },
      effects: [disarm, record({ lastSeenAt: now }), { kind: 'grace', ms: graceMs }, { kind: 'retry', attempt, pace }],
    };
  }
  // Each pace has its own count: ten quick attempts must not delay the first slow one by an hour.
  const samePace = pace === 'fast' || (state.kind === 'reconnecting' && state.pace === pace);
  const attempt = samePace ? session.attempt + 1 : 0;
  const since = state.kind === 'reconnecting' ? state.since : now;
  const unannounced = state.kind === 'reconnecting' && state.unannounced;
  return {
    session: { ...session, state: { kind: 'reconnecting', since, attempt, detail, unannounced, pace }, attempt },
    effects: [{ kind: 'retry', attempt, pace }],
  };
};

/** No reconnect: two clients with the same credentials would disconnect each other forever. */
const replaced = (session: Session, now: number, said?: string): Step => ({
  session: { ...session, state: { kind: 'closed', reason: 'replaced', detail: detailOf(said) }, announcedOpen: false },
  effects: [
    disarm,
    ...farewell(session, closedFacts(session, { reason: 'replaced', willReconnect: false }, now), now),
    close,
  ],
});

const outdatedDetail = 'the network refuses this version of the client';

type Outdated = Extract<DisconnectReason, { kind: 'client_outdated' }>;

/** Reconnects at once if another revision is known, also in a pairing; otherwise a quick retry cannot help. */
const outdated = (session: Session, { renewed = false, detail = outdatedDetail }: Outdated, now: number): Step => {
  const isLinked = session.account !== null;
  if (!renewed) return isLinked ? lost(session, detail, now, 'slow') : giveUp(session, 'client_outdated', detail, now);
  const step = isLinked ? lost(session, detail, now) : failedAttempt(session, detail, now);
  return { ...step, effects: step.effects.map((effect) => (effect.kind === 'retry' ? connect : effect)) };
};

/** A caller waiting for the first QR gets the error; one who already had a QR gets another. */
const refused = (session: Session, detail: string, now: number): Step =>
  session.state.kind === 'connecting' && session.notice === null
    ? giveUp(session, 'pairing_failed', detail, now)
    : failedAttempt(session, detail, now);

const ended = (session: Session, reason: DisconnectReason, now: number): Step => {
  const isLinked = session.account !== null;
  switch (reason.kind) {
    case 'lost':
      return lost(session, reason.detail, now, reason.pace);
    case 'requested':
      return lost(session, 'the session was closed', now);
    case 'replaced':
      return isLinked ? replaced(session, now, reason.said) : lost(session, 'the connection was replaced', now);
    case 'removed_by_phone':
      if (!isLinked) return refused(session, 'the network refused the pairing', now);
      if (!session.freshlyLinked) return unlink(session, 'removed_by_phone', 'removed_by_phone', now, reason.said);
      // Evolution API #2498: a 401 just after the pairing's restart.
      if (session.attempt < freshAttempts) return lost(session, 'the network refused the login', now);
      return linkRefused(session, now);
    case 'temporarily_banned':
      return isLinked
        ? temporarilyBanned(session, reason.ban, now)
        : giveUp(session, 'pairing_failed', 'the network has banned the account temporarily', now);
    case 'locked':
    case 'banned':
      return isLinked
        ? unlink(session, reason.kind, 'banned', now, reason.said)
        : giveUp(session, reason.kind, detailOf(reason.said) ?? 'the network refused the account', now);
    case 'pairing_expired':
      return isLinked
        ? lost(session, 'the pairing expired', now)
        : giveUp(session, 'pairing_expired', reason.detail ?? null, now);
    case 'pairing_failed':
      return isLinked ? lost(session, reason.detail, now) : refused(session, reason.detail, now);
    case 'passkey_expired':
      return isLinked ? lost(session, 'the passkey expired', now) : giveUp(session, 'passkey_expired', null, now);
    case 'client_outdated':
      return outdated(session, reason, now);
  }
};

const graceOver = (session: Session, now: number): Step => {
  const { state } = session;
  if (state.kind !== 'reconnecting' || !state.unannounced) return stay(session);
  return {
    session: { ...session, state: { ...state, unannounced: false }, announcedOpen: false },
    effects: farewell(session, closedFacts(session, { reason: 'lost', willReconnect: true }, now), now),
  };
};

const withBacklog = (session: Session, backlog: Backlog): Step => {
  const stalled = backlog.state === 'stalled' && session.backlog?.state !== 'stalled' ? 1 : 0;
  return stay({ ...session, backlog, stalledBacklogs: (session.stalledBacklogs ?? 0) + stalled });
};

const stepOf = (session: Session, event: SessionEvent, now: number): Step => {
  const { kind } = session.state;
  switch (event.kind) {
    case 'start':
      return kind === 'closed' ? begin(session) : stay(session);
    case 'restore':
      return restore(session, now);
    case 'activate':
      return activate(session);
    case 'restart':
      return restart(session, now);
    case 'deactivate':
      return stop(session, 'inactive', now);
    case 'shutdown':
      return stop(session, 'shutdown', now);
    case 'logged_out':
      return unlink(session, 'logged_out', 'requested', now);
    case 'offer':
      return kind === 'closed' ? stay(session) : offer(session, event.offer);
    case 'passkey':
      return kind === 'closed' ? stay(session) : passkey(session, event.passkey);
    case 'linked':
      return kind === 'closed' ? stay(session) : linked(session, event.account, now);
    case 'open':
      return kind === 'closed' ? stay(session) : open(session, event.account, now);
    case 'restricted':
      return kind === 'closed' ? stay(session) : restricted(session, event.limits, now);
    case 'backlog':
      return kind === 'closed' ? stay(session) : withBacklog(session, event.backlog);
    case 'ended':
      return kind === 'closed' ? stay(session) : ended(session, event.reason, now);
    case 'grace_over':
      return graceOver(session, now);
    case 'retry_due': {
      const until = bannedUntil(session.state, now);
      if (until !== null) return { session, effects: [{ kind: 'retry_at', at: until }] };
      return kind === 'reconnecting' || kind === 'connecting' ? { session, effects: [connect] } : stay(session);
    }
  }
};

export const transition = (session: Session, event: SessionEvent, now: number): Step => {
  const step = stepOf(session, event, now);
  if (step.session.backlog === undefined || !step.effects.some(({ kind }) => kind === 'connect')) return step;
  const { backlog: _, ...next } = step.session;
  return { ...step, session: next };
};
