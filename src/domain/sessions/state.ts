/** States of a device's session, and their mapping to the public `status`. */
import type { Jid } from '../jid.ts';
import type { Passkey } from '../passkey.ts';

export interface Account {
  readonly jid: Jid;
  readonly lid: Jid | null;
  readonly phoneNumber: string;
  readonly name: string | null;
  readonly platform: string | null;
}

export const sameAccount = (a: Account | null, b: Account): boolean =>
  a !== null &&
  a.jid === b.jid &&
  a.lid === b.lid &&
  a.phoneNumber === b.phoneNumber &&
  a.name === b.name &&
  a.platform === b.platform;

/** A QR, and a pairing code if requested. Times in ms. */
export interface PairingOffer {
  readonly qrText: string;
  readonly qrExpiresAt: number;
  readonly code: { readonly code: string; readonly expiresAt: number } | null;
  /** The network refused the requested code, or withdrew it. */
  readonly codeRefusal?: CodeRefusal;
}

export interface CodeRefusal {
  readonly detail: string;
  readonly unknownNumber: boolean;
}

/** When to reconnect: within seconds, or within minutes if a quick retry cannot help. */
export type Pace = 'fast' | 'slow';

export interface TemporaryBan {
  readonly code: number | null;
  readonly until: number | null;
}

/** Why a connection ended. `said`: the network's own text, if any. */
export type DisconnectReason =
  | { readonly kind: 'lost'; readonly detail: string; readonly pace?: Pace } // socket closed, timed out, server restart: reconnect
  | { readonly kind: 'replaced'; readonly said?: string } // the same credentials connected elsewhere
  | { readonly kind: 'removed_by_phone'; readonly said?: string } // unlinked on the phone, 401, or the forced log-out 516
  | { readonly kind: 'temporarily_banned'; readonly ban: TemporaryBan } // 402: reconnect when it ends
  | { readonly kind: 'locked'; readonly said?: string } // 403: locked, banned, or moved to another phone
  | { readonly kind: 'banned'; readonly said?: string } // 406
  | { readonly kind: 'pairing_expired'; readonly detail?: string } // the QR refs ran out
  | { readonly kind: 'pairing_failed'; readonly detail: string } // the network refused the pairing
  | { readonly kind: 'passkey_expired' } // nobody confirmed the passkey in time
  /** 405, 409: the network refuses this client. `renewed`: another revision is known and may be used. */
  | { readonly kind: 'client_outdated'; readonly renewed?: boolean; readonly detail?: string }
  | { readonly kind: 'requested' }; // we closed it

export type ClosedReason =
  | 'never_paired'
  | 'pairing_expired'
  | 'pairing_failed'
  | 'passkey_expired'
  | 'logged_out' // by disconnect
  | 'removed_by_phone'
  | 'locked'
  | 'banned'
  | 'replaced'
  | 'client_outdated'
  | 'inactive'
  | 'shutdown';

export type SessionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'pairing'; readonly offer: PairingOffer }
  | { readonly kind: 'passkey_required'; readonly passkey: Passkey }
  | { readonly kind: 'open'; readonly since: number; readonly account: Account }
  | {
      readonly kind: 'reconnecting';
      readonly since: number;
      readonly attempt: number;
      readonly detail: string;
      /** True while a loss within the grace is not reported (docs/spec/devices.md, Grace). */
      readonly unannounced: boolean;
      readonly pace?: Pace;
      readonly ban?: TemporaryBan;
    }
  | { readonly kind: 'closed'; readonly reason: ClosedReason; readonly detail: string | null };

export type DeviceStatus = 'connected' | 'qr' | 'timeout';

/** A connection restored within this time is not reported as lost (docs/spec/devices.md, Grace). */
export const graceMs = 10_000;

export const statusOf = (state: SessionState, now: number): DeviceStatus => {
  switch (state.kind) {
    case 'open':
      return 'connected';
    case 'pairing':
    case 'passkey_required':
      return 'qr';
    case 'reconnecting':
      return state.unannounced && now - state.since < graceMs ? 'connected' : 'timeout';
    case 'connecting':
    case 'closed':
      return 'timeout';
  }
};

/** `GET /devices/{id}/session` (docs/spec/devices.md, Session). */
export interface SessionView {
  readonly state: 'connecting' | 'pairing' | 'passkey_required' | 'open' | 'reconnecting' | 'closed';
  readonly reason: string | null;
  readonly phoneNumber: string | null;
  readonly jid: Jid | null;
  readonly lid: Jid | null;
  readonly name: string | null;
  readonly platform: string | null;
  readonly pairingCode: string | null;
  readonly pairingCodeExpiresAt: string | null;
  readonly qrExpiresAt: string | null;
  readonly lastSeenAt: string | null;
  readonly reconnects: number;
  /** Null while the session is not open, and before a backlog was announced. */
  readonly backlog: BacklogView | null;
}

/** The backlog of a connection: what the network has queued for the device. */
export interface Backlog {
  /** `stalled`: the network went silent before the end. */
  readonly state: 'receiving' | 'complete' | 'stalled';
  readonly announced: number | null;
  readonly requested: number;
  readonly received: number;
  readonly startedAt: number;
  readonly completedAt: number | null;
}

export const stalledWords = ({ received, announced }: Backlog): string =>
  `The network has not finished delivering what waited: ${received} of about ${announced ?? 'an unknown number of'} stanzas came. ` +
  'New messages may be held back until then: restart the device to request the rest.';

export interface BacklogView extends Omit<Backlog, 'startedAt' | 'completedAt'> {
  readonly startedAt: string;
  readonly completedAt: string | null;
}
