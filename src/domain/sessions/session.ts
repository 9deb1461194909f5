/** A device's session: its state, the inputs of its state machine, and the resulting effects. */
import type { AccountLimits } from '../account-limits.ts';
import type { SessionChanges, Report } from '../changes.ts';
import type { DeviceRecord } from '../device.ts';
import type { DeviceEvent } from '../event.ts';
import type { Passkey } from '../passkey.ts';
import type { Account, DisconnectReason, Pace, PairingOffer, SessionState, Backlog } from './state.ts';

export interface Session {
  readonly state: SessionState;
  readonly account: Account | null;
  /** True between a `connection.open` and the event that ends it; persisted. */
  readonly announcedOpen: boolean;
  readonly offered: boolean;
  /** The last pairing code of this pairing, requested again after a lost connection. */
  readonly code: PairingOffer['code'];
  /** Why this pairing had to start over; null if it did not. */
  readonly notice: string | null;
  /** True between the link and its first open session; persisted as an account with `pairingAt`. */
  readonly freshlyLinked: boolean;
  readonly attempt: number;
  readonly limits?: AccountLimits;
  readonly reconnects: number;
  readonly backlog?: Backlog;
  readonly stalledBacklogs?: number;
}

/** Inputs: requests of the user or the service, news from the network, timers. */
export type SessionEvent =
  | { readonly kind: 'start' | 'restore' | 'activate' | 'restart' | 'deactivate' | 'shutdown' | 'logged_out' }
  | { readonly kind: 'offer'; readonly offer: PairingOffer }
  | { readonly kind: 'passkey'; readonly passkey: Passkey }
  | { readonly kind: 'linked' | 'open'; readonly account: Account }
  | { readonly kind: 'restricted'; readonly limits: AccountLimits }
  | { readonly kind: 'backlog'; readonly backlog: Backlog }
  | { readonly kind: 'ended'; readonly reason: DisconnectReason }
  | { readonly kind: 'grace_over' | 'retry_due' };

/** Outputs, to be performed in this order. */
export type Effect =
  | { readonly kind: 'disarm' }
  /** `forget` deletes credentials and keys in the same transaction. */
  | { readonly kind: 'record'; readonly changes: SessionChanges; readonly forget: boolean }
  /** Writes `connection.auth`, once its QR is drawn. */
  | { readonly kind: 'announce'; readonly offer: PairingOffer }
  /** Writes `connection.auth` for a requested passkey, or a code to compare. */
  | { readonly kind: 'announce_passkey'; readonly passkey: Passkey }
  | { readonly kind: 'connect' }
  | { readonly kind: 'close' }
  /** Triggers `grace_over` after this time. */
  | { readonly kind: 'grace'; readonly ms: number }
  | { readonly kind: 'retry'; readonly attempt: number; readonly pace: Pace }
  /** Triggers `retry_due` at this time (ms), or earlier if that is far away. */
  | { readonly kind: 'retry_at'; readonly at: number };

export interface Step {
  readonly session: Session;
  readonly effects: readonly Effect[];
}

export const resumeMs = 600_000;

export const isResumable = (record: DeviceRecord, now: number): boolean =>
  record.account === null && record.pairingAt !== null && now - record.pairingAt < resumeMs;

const beginning = (record: DeviceRecord, now: number): SessionState => {
  if (record.subscriptionStatus === 'inactive') return { kind: 'closed', reason: 'inactive', detail: null };
  if (isResumable(record, now)) return { kind: 'connecting' };
  if (record.account === null) return { kind: 'closed', reason: 'never_paired', detail: null };
  if (!record.announcedOpen) return { kind: 'connecting' };
  // After a crash the open session is a lost connection, and the grace starts now.
  return { kind: 'reconnecting', since: now, attempt: 0, detail: 'the service was restarted', unannounced: true };
};

/** Of a device without a session in this process. `restore` reconnects a linked one. */
export const sessionOf = (record: DeviceRecord, now: number): Session => {
  const resumed = isResumable(record, now);
  return {
    state: beginning(record, now),
    account: record.account,
    announcedOpen: record.announcedOpen,
    offered: resumed,
    code: null,
    notice: resumed ? 'The service was restarted while the device was being linked' : null,
    freshlyLinked: record.account !== null && record.pairingAt !== null,
    attempt: 0,
    reconnects: 0,
    ...(record.limits === null ? {} : { limits: record.limits }),
  };
};

type Closing = Extract<DeviceEvent, { type: 'connection.closed' }>['data'];

/** Building blocks of transitions: effects, and facts that end what was announced. */
export const disarm: Effect = { kind: 'disarm' };
export const connect: Effect = { kind: 'connect' };
export const close: Effect = { kind: 'close' };

export const record = (changes: SessionChanges, forget = false): Effect => ({ kind: 'record', changes, forget });

export const stay = (session: Session): Step => ({ session, effects: [] });

export const timeoutFacts = (session: Session, at: number): Report[] =>
  session.offered ? [{ event: { type: 'connection.timeout', data: {} }, at }] : [];

export const closedFacts = (session: Session, data: Closing, at: number): Report[] =>
  session.announcedOpen ? [{ event: { type: 'connection.closed', data }, at }] : [];

export const seen = (session: Session, now: number): SessionChanges =>
  session.state.kind === 'open' ? { lastSeenAt: now } : {};

/** Ends what was announced, if anything was. */
export const farewell = (session: Session, facts: readonly Report[], now: number): Effect[] => {
  const changes: SessionChanges = {
    ...seen(session, now),
    ...(session.announcedOpen ? { announcedOpen: false } : {}),
    ...(facts.length > 0 ? { facts } : {}),
  };
  return Object.keys(changes).length > 0 ? [record(changes)] : [];
};
