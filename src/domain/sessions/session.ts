/** A device's session as the service lives through it: what it remembers, what can happen to it, what then is to be done. */
import type { AccountLimits } from '../account-limits.ts';
import type { SessionChanges } from '../changes.ts';
import type { DeviceRecord } from '../device.ts';
import type { Passkey } from '../passkey.ts';
import type { Backlog } from './backlog.ts';
import type { Account, DisconnectReason, Pace, PairingOffer, SessionState } from './state.ts';

export interface Session {
  readonly state: SessionState;
  readonly account: Account | null;
  /** True between a `connection.open` and the event that ended it; persisted. */
  readonly announcedOpen: boolean;
  /** True between a `connection.auth` and the event that ended the pairing. */
  readonly offered: boolean;
  /** The pairing code that was offered last in the pairing under way: it is asked for again when the link is lost. */
  readonly code: PairingOffer['code'];
  /** Why the pairing under way had to start over, in words; null when it did not. */
  readonly notice: string | null;
  /** True between the link and its first open session; persisted as an account whose `pairingAt` is set. */
  readonly freshlyLinked: boolean;
  /** Failed attempts to connect in a row: sets the pace of the next one. */
  readonly attempt: number;
  /** Restrictions on the account; absent: none were told yet. */
  readonly limits?: AccountLimits;
  /** How often a lost link has come back. */
  readonly reconnects: number;
  /** Backlog of the connection; absent before the network has told of it. */
  readonly backlog?: Backlog;
  /** How often the network did not finish a backlog; absent: never. */
  readonly stalledBacklogs?: number;
}

/** Inputs of the state machine: a request of the user or the service, news from the network, or a timer. */
export type SessionEvent =
  | { readonly kind: 'start' | 'restore' | 'activate' | 'restart' | 'deactivate' | 'shutdown' | 'logged_out' }
  | { readonly kind: 'offer'; readonly offer: PairingOffer }
  | { readonly kind: 'passkey'; readonly passkey: Passkey }
  | { readonly kind: 'linked' | 'open'; readonly account: Account }
  | { readonly kind: 'restricted'; readonly limits: AccountLimits }
  | { readonly kind: 'backlog'; readonly backlog: Backlog }
  | { readonly kind: 'ended'; readonly reason: DisconnectReason }
  | { readonly kind: 'grace_over' | 'retry_due' };

/** Outputs of the state machine, to be performed in this order. */
export type Effect =
  /** Cancels the timers that run. */
  | { readonly kind: 'calm' }
  /** Writes; `forget` deletes credentials and keys in the same transaction. */
  | { readonly kind: 'record'; readonly changes: SessionChanges; readonly forget: boolean }
  /** Writes `connection.auth`, once its QR is drawn. */
  | { readonly kind: 'announce'; readonly offer: PairingOffer }
  /** Writes `connection.auth` for a passkey that is asked for, or a code that is to be compared. */
  | { readonly kind: 'announce_passkey'; readonly passkey: Passkey }
  /** A new session, after the old one is closed. */
  | { readonly kind: 'connect' }
  /** Closes the session without logging out. */
  | { readonly kind: 'close' }
  /** `grace_over` happens after this time. */
  | { readonly kind: 'grace'; readonly ms: number }
  /** `retry_due` happens after a backoff. */
  | { readonly kind: 'retry'; readonly attempt: number; readonly pace: Pace }
  /** `retry_due` happens at this time (ms), or before it where that is far away. */
  | { readonly kind: 'retry_at'; readonly at: number };

export interface Step {
  readonly session: Session;
  readonly effects: readonly Effect[];
}

/** A pairing goes on after a restart of the service when its last offer was made within this time. */
export const resumeMs = 600_000;

/** The service ended in the middle of a pairing, and not long ago. */
export const isResumable = (record: DeviceRecord, now: number): boolean =>
  record.account === null && record.pairingAt !== null && now - record.pairingAt < resumeMs;

const beginning = (record: DeviceRecord, now: number): SessionState => {
  if (record.subscriptionStatus === 'inactive') return { kind: 'closed', reason: 'inactive', detail: null };
  if (isResumable(record, now)) return { kind: 'connecting' };
  if (record.account === null) return { kind: 'closed', reason: 'never_paired', detail: null };
  if (!record.announcedOpen) return { kind: 'connecting' };
  // The process ended without a word (a crash): the open session is a lost link, and the grace runs from now.
  return { kind: 'reconnecting', since: now, attempt: 0, detail: 'the service was restarted', unannounced: true };
};

/** The life of a device that no session has been made for in this process. `restore` brings a linked one back. */
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
