/** Transitions of a pairing: offers, a passkey, failed attempts, and the link. Pure. */
import type { Passkey } from '../passkey.ts';
import { type Session, type Step, disarm, close, record, stay, timeoutFacts } from './session.ts';
import type { Account, ClosedReason, PairingOffer } from './state.ts';
import { graceMs } from './state.ts';

export const pairingAttempts = 6;

export const giveUp = (session: Session, reason: ClosedReason, detail: string | null, now: number): Step => ({
  session: { ...session, state: { kind: 'closed', reason, detail }, offered: false, notice: null },
  effects: [disarm, record({ facts: timeoutFacts(session, now), pairingAt: null }, true), close],
});

export const offer = (session: Session, given: PairingOffer): Step => {
  const { state } = session;
  const known = state.kind === 'pairing' ? state.offer : null;
  if (known?.qrText === given.qrText && known.code?.code === given.code?.code) {
    return stay({ ...session, state: { kind: 'pairing', offer: given }, code: given.code });
  }
  return {
    session: { ...session, state: { kind: 'pairing', offer: given }, offered: true, code: given.code },
    effects: [{ kind: 'announce', offer: given }],
  };
};

/** Announced when requested, and when there is a code to compare; the steps in between need no person. */
export const passkey = (session: Session, given: Passkey): Step => {
  const { state } = session;
  const before = state.kind === 'passkey_required' ? state.passkey.step : null;
  const news = given.step === 'confirm' ? before !== 'confirm' : before === null;
  return {
    session: { ...session, state: { kind: 'passkey_required', passkey: given }, offered: true },
    effects: news ? [{ kind: 'announce_passkey', passkey: given }] : [],
  };
};

/** The network dropped or refused an attempt. A person looking at a QR gets a new one a few times; then the pairing ends. */
export const failedAttempt = (session: Session, detail: string, now: number): Step => {
  const attempt = session.attempt + 1;
  if (attempt > pairingAttempts) return giveUp(session, 'pairing_failed', detail, now);
  const shown = session.state.kind !== 'connecting';
  const notice = shown ? `The last attempt to link the device failed (${detail})` : session.notice;
  return {
    session: { ...session, state: { kind: 'connecting' }, attempt, notice },
    effects: [disarm, { kind: 'retry', attempt, pace: 'fast' }],
  };
};

/** `status` is `connected` from now on; sends wait for the session that the protocol opens next. */
export const linked = (session: Session, account: Account, now: number): Step => ({
  session: {
    ...session,
    state: { kind: 'reconnecting', since: now, attempt: 0, detail: 'the device was just linked', unannounced: true },
    account,
    offered: false,
    code: null,
    notice: null,
    freshlyLinked: true,
    attempt: 0,
  },
  effects: [disarm, record({ account, pairingAt: now }), { kind: 'grace', ms: graceMs }],
});

/** The network rejects the link it has just confirmed. It was not announced, so the pairing continues. */
export const linkRefused = (session: Session, now: number): Step => ({
  session: {
    ...session,
    state: { kind: 'connecting' },
    account: null,
    freshlyLinked: false,
    notice: 'The network confirmed the link and then refused it (401)',
    attempt: session.attempt + 1,
  },
  effects: [disarm, record({ account: null, pairingAt: now }, true), { kind: 'retry', attempt: 0, pace: 'fast' }],
});
