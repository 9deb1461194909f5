/** The state machine of a device's session. Pure, so that a table of tests covers every case. */
import { noLimits, sameLimits } from './account-limits.ts';
import type { SessionChanges } from './changes.ts';
import { bannedUntil, temporarilyBanned } from './session-ban.ts';
import type { Happening, Life, Step } from './session.ts';
import { failedAttempt, giveUp, linked, linkRefused, offer, passkey } from './session-pairing.ts';
import type { Account, ClosedReason, DisconnectReason, Pace } from './session-state.ts';
import { graceMs, sameAccount } from './session-state.ts';
import {
  calm,
  close,
  closedEvents,
  connect,
  eventOf,
  farewell,
  record,
  seen,
  stay,
  timeoutEvents,
} from './session-steps.ts';

/** A session that was open for less than this keeps its pace of reconnecting, so that a flapping link is no storm. */
const steadyMs = 30_000;
/** The slowest pace of a flapping link: well within the grace. */
const flapAttempts = 2;
/** A 401 right after the link is not always a logout: the first sessions after it are tried again. */
const freshAttempts = 3;

const begin = (life: Life): Step => ({
  life: { ...life, session: { kind: 'connecting' }, attempt: 0, code: null, notice: null },
  effects: [calm, connect],
});

/** The session is restarted, linked or not: an unlinked device begins a new pairing (docs/spec/devices.md, States and transitions). */
const activate = (life: Life): Step => (life.session.kind === 'closed' ? begin(life) : stay(life));

/** After a crash with an announced session the grace decides whether anybody has to know. */
const restore = (life: Life, now: number): Step => {
  const until = bannedUntil(life.session, now);
  if (until !== null) return { life, effects: [{ kind: 'retry_at', at: until }] };
  if (life.session.kind === 'reconnecting') return { life, effects: [{ kind: 'grace', ms: graceMs }, connect] };
  return life.session.kind === 'connecting' ? { life, effects: [connect] } : stay(life);
};

const restart = (life: Life, now: number): Step => ({
  life: { ...life, session: { kind: 'connecting' }, attempt: 0, announcedOpen: false, code: null, notice: null },
  effects: [calm, ...farewell(life, closedEvents(life, { reason: 'restart', willReconnect: true }, now), now), connect],
});

/** The session ends because the service ends it, and the authentication stays. A pairing goes on after a shutdown. */
const stop = (life: Life, reason: 'inactive' | 'shutdown', now: number): Step => {
  if (reason === 'shutdown' && life.session.kind === 'closed') return stay(life);
  const events = closedEvents(life, { reason, willReconnect: reason === 'shutdown' }, now);
  const over = reason === 'inactive' && life.offered;
  return {
    life: {
      ...life,
      session: { kind: 'closed', reason, detail: null },
      announcedOpen: false,
      offered: false,
      notice: null,
    },
    effects: [
      calm,
      ...farewell(life, events, now),
      ...(over ? [record({ events: timeoutEvents(life, now), pairingAt: null })] : []),
      close,
    ],
  };
};

/** The link is gone: by the user, by the phone or by the network. A session that was open has ended with it. */
const unlink = (
  life: Life,
  closed: ClosedReason,
  told: 'requested' | 'removed_by_phone' | 'banned',
  now: number,
): Step => ({
  life: {
    ...life,
    session: { kind: 'closed', reason: closed, detail: null },
    account: null,
    announcedOpen: false,
    offered: false,
    notice: null,
    freshlyLinked: false,
    limits: noLimits,
  },
  effects: [
    calm,
    record(
      {
        ...seen(life, now),
        account: null,
        announcedOpen: false,
        events: [
          ...closedEvents(life, { reason: told, willReconnect: false }, now),
          eventOf({ type: 'connection.logout', data: { reason: told } }, now),
        ],
      },
      true,
    ),
    close,
  ],
});

const open = (life: Life, account: Account, now: number): Step => {
  const { jid, lid, phoneNumber, name } = account;
  const announcement = eventOf({ type: 'connection.open', data: { phoneNumber, jid, lid, name } }, now);
  const changes: SessionChanges = {
    ...(sameAccount(life.account, account) ? {} : { account }),
    ...(life.announcedOpen ? {} : { announcedOpen: true, lastSeenAt: now, events: [announcement] }),
  };
  const cameBack = life.session.kind === 'reconnecting' && !life.freshlyLinked;
  return {
    life: {
      ...life,
      session: { kind: 'open', since: life.session.kind === 'open' ? life.session.since : now, account },
      account,
      announcedOpen: true,
      offered: false,
      notice: null,
      freshlyLinked: false,
      reconnects: life.reconnects + (cameBack ? 1 : 0),
    },
    effects: [calm, ...(Object.keys(changes).length > 0 ? [record(changes)] : [])],
  };
};

/** A linked device comes back by itself, forever (docs/spec/devices.md, Reconnecting). */
const lost = (life: Life, detail: string, now: number, pace: Pace = 'fast'): Step => {
  const { session } = life;
  if (life.account === null) {
    // Nobody waits before a QR for minutes.
    return pace === 'slow' ? giveUp(life, 'pairing_failed', detail, now) : failedAttempt(life, detail, now);
  }
  if (session.kind === 'open') {
    const attempt = now - session.since >= steadyMs ? 0 : Math.min(life.attempt + 1, flapAttempts);
    return {
      life: {
        ...life,
        session: { kind: 'reconnecting', since: now, attempt, detail, unannounced: true, pace },
        attempt,
      },
      effects: [calm, record({ lastSeenAt: now }), { kind: 'grace', ms: graceMs }, { kind: 'retry', attempt, pace }],
    };
  }
  // Each pace begins anew: ten quick attempts are no reason to wait an hour for the first slow one.
  const samePace = pace === 'fast' || (session.kind === 'reconnecting' && session.pace === pace);
  const attempt = samePace ? life.attempt + 1 : 0;
  const since = session.kind === 'reconnecting' ? session.since : now;
  const unannounced = session.kind === 'reconnecting' && session.unannounced;
  return {
    life: { ...life, session: { kind: 'reconnecting', since, attempt, detail, unannounced, pace }, attempt },
    effects: [{ kind: 'retry', attempt, pace }],
  };
};

/** It does not come back by itself: two clients with the same credentials would throw each other out forever. */
const replaced = (life: Life, now: number): Step => ({
  life: { ...life, session: { kind: 'closed', reason: 'replaced', detail: null }, announcedOpen: false },
  effects: [calm, ...farewell(life, closedEvents(life, { reason: 'replaced', willReconnect: false }, now), now), close],
});

const outdatedDetail = 'the network refuses this version of the client';

type Outdated = Extract<DisconnectReason, { kind: 'client_outdated' }>;

/** Connects again at once where another revision is known, in a pairing too; otherwise no quick retry can help. */
const outdated = (life: Life, { renewed = false, detail = outdatedDetail }: Outdated, now: number): Step => {
  const isLinked = life.account !== null;
  if (!renewed) return isLinked ? lost(life, detail, now, 'slow') : giveUp(life, 'client_outdated', detail, now);
  const step = isLinked ? lost(life, detail, now) : failedAttempt(life, detail, now);
  return { ...step, effects: step.effects.map((effect) => (effect.kind === 'retry' ? connect : effect)) };
};

/** A caller waiting for the first QR gets the error; a caller who already had one gets another. */
const refused = (life: Life, detail: string, now: number): Step =>
  life.session.kind === 'connecting' && life.notice === null
    ? giveUp(life, 'pairing_failed', detail, now)
    : failedAttempt(life, detail, now);

const ended = (life: Life, reason: DisconnectReason, now: number): Step => {
  const isLinked = life.account !== null;
  switch (reason.kind) {
    case 'lost':
      return lost(life, reason.detail, now, reason.pace);
    case 'requested':
      return lost(life, 'the session was closed', now);
    case 'replaced':
      return isLinked ? replaced(life, now) : lost(life, 'the connection was replaced', now);
    case 'removed_by_phone':
      if (!isLinked) return refused(life, 'the network refused the pairing', now);
      if (!life.freshlyLinked) return unlink(life, 'removed_by_phone', 'removed_by_phone', now);
      // Evolution API #2498: a 401 just after the pairing's restart.
      if (life.attempt < freshAttempts) return lost(life, 'the network refused the login', now);
      return linkRefused(life, now);
    case 'temporarily_banned':
      return isLinked
        ? temporarilyBanned(life, reason.ban, now)
        : giveUp(life, 'pairing_failed', 'the network has banned the account temporarily', now);
    case 'locked':
    case 'banned':
      return isLinked
        ? unlink(life, reason.kind, 'banned', now)
        : giveUp(life, reason.kind, 'the network refused the account', now);
    case 'pairing_expired':
      return isLinked
        ? lost(life, 'the pairing expired', now)
        : giveUp(life, 'pairing_expired', reason.detail ?? null, now);
    case 'pairing_failed':
      return isLinked ? lost(life, reason.detail, now) : refused(life, reason.detail, now);
    case 'passkey_expired':
      return isLinked ? lost(life, 'the passkey expired', now) : giveUp(life, 'passkey_expired', null, now);
    case 'client_outdated':
      return outdated(life, reason, now);
  }
};

/** The grace is over: now the loss is news (docs/spec/devices.md, Grace). */
const graceOver = (life: Life, now: number): Step => {
  const { session } = life;
  if (session.kind !== 'reconnecting' || !session.unannounced) return stay(life);
  return {
    life: { ...life, session: { ...session, unannounced: false }, announcedOpen: false },
    effects: farewell(life, closedEvents(life, { reason: 'lost', willReconnect: true }, now), now),
  };
};

/** The one table of transitions (docs/spec/devices.md, States and transitions). */
export const transition = (life: Life, happening: Happening, now: number): Step => {
  const { kind } = life.session;
  switch (happening.kind) {
    case 'start':
      return kind === 'closed' ? begin(life) : stay(life);
    case 'restore':
      return restore(life, now);
    case 'activate':
      return activate(life);
    case 'restart':
      return restart(life, now);
    case 'deactivate':
      return stop(life, 'inactive', now);
    case 'shutdown':
      return stop(life, 'shutdown', now);
    case 'logged_out':
      return unlink(life, 'logged_out', 'requested', now);
    case 'offer':
      return kind === 'closed' ? stay(life) : offer(life, happening.offer);
    case 'passkey':
      return kind === 'closed' ? stay(life) : passkey(life, happening.passkey);
    case 'linked':
      return kind === 'closed' ? stay(life) : linked(life, happening.account, now);
    case 'open':
      return kind === 'closed' ? stay(life) : open(life, happening.account, now);
    case 'restricted':
      return kind === 'closed' || sameLimits(life.limits ?? noLimits, happening.limits)
        ? stay(life)
        : stay({ ...life, limits: happening.limits });
    case 'ended':
      return kind === 'closed' ? stay(life) : ended(life, happening.reason, now);
    case 'grace_over':
      return graceOver(life, now);
    case 'retry_due': {
      const until = bannedUntil(life.session, now);
      if (until !== null) return { life, effects: [{ kind: 'retry_at', at: until }] };
      return kind === 'reconnecting' || kind === 'connecting' ? { life, effects: [connect] } : stay(life);
    }
  }
};
