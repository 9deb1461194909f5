/** A device as stored, and as shown to callers. */
import type { AccountLimits } from './account-limits.ts';
import type { EventKind } from './event.ts';
import type { Jid } from './jid.ts';
import type { Account, DeviceStatus } from './sessions/state.ts';

export type SubscriptionStatus = 'active' | 'inactive';

/** Settings beside the nine fields (docs/spec/devices.md, Settings). */
export interface DeviceSettings {
  /** True: the account appears online. Otherwise senders see one tick until the phone is online. */
  readonly online: boolean;
  /** True: senders learn that their messages were read when a caller marks them as read. */
  readonly readReceipts: boolean;
  /** Rejects incoming calls; a text is sent to the caller as a message. */
  readonly rejectCalls: boolean | string;
  /** Chats whose presence is subscribed to: JIDs, or phone numbers as JIDs. */
  readonly presence: readonly Jid[];
  /** Messages handed over by the phone after the next pairing. */
  readonly history: 'none' | 'recent' | 'full';
  /** New chats allowed per day; null: as many as the network allows. */
  readonly newChatsPerDay: number | null;
  readonly stopWords: readonly string[];
  /** `kept`: received media is downloaded at once, and kept as long as the messages. */
  readonly media: 'network' | 'kept';
  /** URL of the device's proxy with its credentials; null: none. Sealed separately. */
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
  proxy: null,
};

/** The URL without credentials. They are percent-encoded, so the first `@` ends them. */
export const withoutCredentials = (proxy: string): string => proxy.replace(/^([^/]*\/\/)[^@]*@/, '$1');

/** A URL given back as it was shown keeps its stored credentials. */
export const withKnownCredentials = (given: string, stored: string | null): string =>
  stored !== null && withoutCredentials(stored) === given ? stored : given;

/** The stored part of a device. Live state (status, qr) is never stored. */
export interface DeviceRecord {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly webhookUrl: string | null;
  readonly webhookEvents: readonly EventKind[];
  readonly messagesSent: number;
  readonly subscriptionStatus: SubscriptionStatus;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly account: Account | null;
  /** True between a `connection.open` and the event that ends it. Stored, so that events stay paired after a crash. */
  readonly announcedOpen: boolean;
  /** When an unfinished pairing last offered something, or linked the account, ms; null once its session was open. */
  readonly pairingAt: number | null;
  /** When the session was last open, ms, or null. */
  readonly lastSeenAt: number | null;
  readonly settings: DeviceSettings;
  /** Latest restrictions reported by the network, or null. */
  readonly limits: AccountLimits | null;
}

/** Exactly nine fields (docs/spec/devices.md, Device). */
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
  /** Like the setting. */
  readonly proxy?: string | null;
  /** Null: `Device <id>`. */
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
