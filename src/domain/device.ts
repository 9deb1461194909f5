/** A device as stored, and as callers see it. */
import type { AccountLimits } from './account-limits.ts';
import type { EventKind } from './event.ts';
import type { Jid } from './jid.ts';
import type { Account, DeviceStatus } from './sessions/state.ts';

export type SubscriptionStatus = 'active' | 'inactive';

/** Settings in addition to the nine fields (docs/spec/devices.md, Settings). */
export interface DeviceSettings {
  /** True: the account appears online. Otherwise senders see one tick until the phone is online. */
  readonly online: boolean;
  /** True: senders learn that a caller marked their messages as read. */
  readonly readReceipts: boolean;
  readonly rejectCalls: boolean | string;
  readonly presence: readonly Jid[];
  /** What the phone sends after the next pairing. */
  readonly history: 'none' | 'recent' | 'full';
  readonly newChatsPerDay: number | null;
  readonly stopWords: readonly string[];
  /** `kept`: received media is downloaded at once, and kept as long as the messages. */
  readonly media: 'network' | 'kept';
  /** `received`: contacts' statuses and the viewers of own ones are stored and reported. */
  readonly statuses: 'none' | 'received';
  /** Channels whose events are reported: none, those the account administers, or all it follows. */
  readonly channels: 'none' | 'own' | 'followed';
  readonly proxy: string | null;
}

export const defaultSettings: DeviceSettings = {
  online: false,
  readReceipts: true,
  rejectCalls: false,
  presence: [],
  history: 'none',
  newChatsPerDay: null,
  stopWords: [],
  media: 'network',
  statuses: 'none',
  channels: 'none',
  proxy: null,
};

/** Credentials are percent-encoded, so the first `@` ends them. */
export const withoutCredentials = (proxy: string): string => proxy.replace(/^([^/]*\/\/)[^@]*@/, '$1');

/** A URL given back as shown keeps its stored credentials. */
export const withKnownCredentials = (given: string, stored: string | null): string =>
  stored !== null && withoutCredentials(stored) === given ? stored : given;

/** A device as stored, without live state (status, qr). */
export interface DeviceRecord {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly webhookUrl: string | null;
  readonly webhookEvents: readonly EventKind[];
  readonly messagesSent: number;
  readonly subscriptionStatus: SubscriptionStatus;
  readonly createdAt: number;
  readonly account: Account | null;
  /** True between a `connection.open` and the event that ends it. Stored, so that events stay paired after a crash. */
  readonly announcedOpen: boolean;
  /** When an unfinished pairing last made an offer or linked the account, ms; null once its session was open. */
  readonly pairingAt: number | null;
  readonly lastSeenAt: number | null;
  readonly settings: DeviceSettings;
  readonly limits: AccountLimits | null;
}

export interface Device {
  readonly id: number;
  readonly name: string;
  readonly status: DeviceStatus;
  readonly qr: string | null;
  readonly webhookUrl: string | null;
  readonly webhookEvents: readonly EventKind[];
  readonly messagesSent: number;
  readonly subscription_status: SubscriptionStatus;
  readonly createdAt: string;
}

export interface NewDevice {
  readonly userId: number;
  readonly proxy?: string | null;
  readonly name: string | null;
  readonly webhookUrl: string | null;
  readonly webhookEvents: readonly EventKind[];
}

export interface DevicePatch {
  readonly name?: string;
  readonly webhookUrl?: string | null;
  readonly webhookEvents?: readonly EventKind[];
  readonly subscriptionStatus?: SubscriptionStatus;
  readonly settings?: Partial<DeviceSettings>;
}
