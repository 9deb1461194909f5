/** The device as it is stored, and as callers see it. */
import type { AccountLimits } from './account-limits.ts';
import type { EventKind } from './event.ts';
import type { Jid } from './jid.ts';
import type { Account, DeviceStatus } from './sessions/state.ts';

export type SubscriptionStatus = 'active' | 'inactive';

/** Settings beside the nine fields (docs/spec/devices.md, Settings). */
export interface DeviceSettings {
  /** Whether the account presents itself as online. While false, senders see one tick until the phone is online. */
  readonly online: boolean;
  /** Whether writers learn that their messages were read, when a caller marks them as read. */
  readonly readReceipts: boolean;
  /** Incoming calls are rejected; with a text, which the caller gets as a message. */
  readonly rejectCalls: boolean | string;
  /** Chats whose presence is followed: JIDs, or phone numbers as JIDs. */
  readonly presence: readonly Jid[];
  /** Messages that the phone hands over after the next pairing. */
  readonly history: 'none' | 'recent' | 'full';
  /** How many new chats may be begun on a day; null: as many as the network allows. */
  readonly newChatsPerDay: number | null;
  /** Words after which their writer, in private, is not written to any more. */
  readonly stopWords: readonly string[];
  /** `kept`: received media is fetched at once, and kept for as long as messages are. */
  readonly media: 'network' | 'kept';
  /** URL of the proxy that it connects through, with its credentials; null: none. Stored sealed, apart from the others. */
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

/** A stored URL as anybody may see it: user name and password are percent-encoded, so that the first `@` ends them. */
export const withoutCredentials = (proxy: string): string => proxy.replace(/^([^/]*\/\/)[^@]*@/, '$1');

/** A URL that is given back as it was shown keeps the credentials that are stored with it. */
export const withKnownCredentials = (given: string, stored: string | null): string =>
  stored !== null && withoutCredentials(stored) === given ? stored : given;

/** The stored part of a device. What is live (status, qr) is never stored. */
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
  /** The linked account, or null when the device is not linked. */
  readonly account: Account | null;
  /** True between a `connection.open` and the event that ended it: survives a crash, so that events stay in pairs. */
  readonly announcedOpen: boolean;
  /** When a pairing that has not ended last offered something, or linked the account, ms; null once its session has been open. */
  readonly pairingAt: number | null;
  /** When the session was last open, ms, or null. */
  readonly lastSeenAt: number | null;
  readonly settings: DeviceSettings;
  /** Restrictions on the account as the network told them last; null: it has told none. */
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
  /** As the setting. */
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
  /** Only those that change. */
  readonly settings?: Partial<DeviceSettings>;
}
