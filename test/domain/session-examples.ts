/** Sessions, and what can happen to them, for the table of transitions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Effect, SessionEvent, Session } from '../../src/domain/sessions/session.ts';
import type { Passkey } from '../../src/domain/passkey.ts';
import type { Account, DisconnectReason, SessionState } from '../../src/domain/sessions/state.ts';
import { eventOf } from '../../src/store/commit/events-of.ts';
import { transition } from '../../src/domain/sessions/transition.ts';

export const account: Account = {
  jid: '4915112345678@s.whatsapp.net',
  lid: '987654321098765@lid',
  phoneNumber: '4915112345678',
  name: 'Ada',
  platform: 'android',
};
export const offer = { qrText: 'ref-1', qrExpiresAt: 160_000, code: null };
export const now = 100_000;
export const passkey: Passkey = {
  step: 'response',
  options: { challenge: 'AAAA', rpId: 'whatsapp.com' },
  handOffUntil: 400_000,
  expiresAt: 700_000,
  refusal: null,
};

export const states: Readonly<Record<string, SessionState>> = {
  connecting: { kind: 'connecting' },
  pairing: { kind: 'pairing', offer },
  passkey: { kind: 'passkey_required', passkey },
  open: { kind: 'open', since: 0, account },
  justOpen: { kind: 'open', since: now - 1_000, account },
  grace: { kind: 'reconnecting', since: now - 2_000, attempt: 1, detail: 'gone', unannounced: true },
  away: { kind: 'reconnecting', since: now - 60_000, attempt: 4, detail: 'gone', unannounced: false },
  slow: { kind: 'reconnecting', since: now - 60_000, attempt: 1, detail: 'wait', unannounced: false, pace: 'slow' },
  banned: {
    kind: 'reconnecting',
    since: now - 60_000,
    attempt: 0,
    detail: 'banned',
    unannounced: false,
    pace: 'slow',
    ban: { code: 101, until: now + 60_000 },
  },
  bannedForever: {
    kind: 'reconnecting',
    since: now - 60_000,
    attempt: 1,
    detail: 'banned',
    unannounced: false,
    pace: 'slow',
    ban: { code: null, until: null },
  },
  closed: { kind: 'closed', reason: 'never_paired', detail: null },
};

export const unlinked = (state: SessionState, more: Partial<Session> = {}): Session => ({
  state,
  account: null,
  announcedOpen: false,
  offered: state.kind === 'pairing' || state.kind === 'passkey_required',
  code: null,
  notice: null,
  freshlyLinked: false,
  attempt: 0,
  reconnects: 0,
  ...more,
});
export const linked = (state: SessionState, more: Partial<Session> = {}): Session =>
  unlinked(state, {
    account,
    announcedOpen: state.kind === 'open' || (state.kind === 'reconnecting' && state.unannounced),
    ...more,
  });

/** An effect in short: `connect`, `retry 3 fast`, `forget[connection.logout removed_by_phone]`, … */
const short = (effect: Effect): string => {
  if (effect.kind === 'retry') return `retry ${effect.attempt} ${effect.pace}`;
  if (effect.kind === 'retry_at') return `retry at ${effect.at}`;
  if (effect.kind === 'grace') return `grace ${effect.ms}`;
  if (effect.kind === 'announce') return `announce ${effect.offer.qrText}`;
  if (effect.kind === 'announce_passkey') return `announce passkey ${effect.passkey.step}`;
  if (effect.kind !== 'record') return effect.kind;
  const events = (effect.changes.facts ?? []).map((fact) => {
    const { event, at, orderKey } = eventOf(fact);
    assert.equal(at, now);
    assert.equal(orderKey, 'connection');
    if (event.type === 'connection.closed') {
      const { reason, willReconnect, until } = event.data;
      return `closed ${reason} ${willReconnect}${until === undefined ? '' : ` ${until}`}`;
    }
    if (event.type === 'connection.logout') return `logout ${event.data.reason}`;
    return event.type.replace('connection.', '');
  });
  return `${effect.forget ? 'forget' : 'record'}[${events.join(', ')}]`;
};

export const ended = (
  kind: Exclude<DisconnectReason['kind'], 'lost' | 'pairing_failed' | 'temporarily_banned'>,
): SessionEvent => ({
  kind: 'ended',
  reason: { kind },
});
export const banned = (until: number | null): SessionEvent => ({
  kind: 'ended',
  reason: { kind: 'temporarily_banned', ban: { code: 101, until } },
});
export const lostSlowly: SessionEvent = { kind: 'ended', reason: { kind: 'lost', detail: 'wait', pace: 'slow' } };
export const lost: SessionEvent = { kind: 'ended', reason: { kind: 'lost', detail: 'cut' } };
/** The network refuses the client, and another revision of it is known. */
export const renewed: SessionEvent = {
  kind: 'ended',
  reason: { kind: 'client_outdated', renewed: true, detail: 'too old' },
};
export const refused: SessionEvent = { kind: 'ended', reason: { kind: 'pairing_failed', detail: 'no' } };

/** name, before, what happens, state after (kind, or closed with its reason), effects */
export type Row = readonly [string, Session, SessionEvent, string, readonly string[]];

/** One test a row. */
export const testTable = (table: readonly Row[]): void => {
  for (const [name, before, event, after, effects] of table) {
    test(name, () => {
      const step = transition(before, event, now);
      const { state } = step.session;
      assert.equal(state.kind === 'closed' ? `closed ${state.reason}` : state.kind, after);
      assert.deepEqual(step.effects.map(short), effects);
    });
  }
};
