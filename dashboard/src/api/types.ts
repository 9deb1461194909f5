/** The API's response types, as far as the dashboard uses them (`/v1/openapi.json` has all of them). */

export type DeviceStatus = 'connected' | 'qr' | 'timeout';

export interface Device {
  readonly id: number;
  readonly name: string;
  readonly status: DeviceStatus;
  readonly qr: string | null;
  readonly webhookUrl: string | null;
  readonly webhookEvents: readonly string[];
  readonly messagesSent: number;
  readonly subscription_status: 'active' | 'inactive';
  readonly createdAt: string;
}

/** The account that a device is linked to. */
export interface LinkedAccount {
  readonly deviceId: number;
  readonly phoneNumber: string;
  readonly name: string | null;
}

export interface DeviceSettings {
  readonly online: boolean;
  readonly readReceipts: boolean;
  /** A string is sent to the caller as a text message. */
  readonly rejectCalls: boolean | string;
  /** Chats whose presence is followed. */
  readonly presence: readonly string[];
  /** Messages to load from the phone at the next pairing. */
  readonly history: 'none' | 'recent' | 'full';
  /** New chats that the device may start per day; null for no limit. */
  readonly newChatsPerDay: number | null;
  /** Where media of received messages is stored. */
  readonly media: 'network' | 'kept';
  /** Whoever sends one of these is added to the suppression list. */
  readonly stopWords?: readonly string[];
  /** Without user name and password; null for a direct connection. */
  readonly proxy?: string | null;
}

export type SessionState = 'connecting' | 'pairing' | 'passkey_required' | 'open' | 'reconnecting' | 'closed';

export interface Session {
  readonly state: SessionState;
  readonly reason: string | null;
  readonly phoneNumber: string | null;
  readonly name: string | null;
  readonly platform: string | null;
  readonly pairingCode: string | null;
  readonly pairingCodeExpiresAt: string | null;
  readonly qrExpiresAt: string | null;
  readonly lastSeenAt: string | null;
  readonly reconnects: number;
}

/** The passkey ceremony that the network requires before it links the account. */
export interface Passkey {
  readonly step: 'response' | 'phone' | 'confirm';
  /** WebAuthn request options. */
  readonly options: Readonly<Record<string, unknown>> | null;
  /** The network's error if it rejected the last response. */
  readonly refusal: string | null;
  readonly code: string | null;
  readonly handOffUntil: string | null;
  readonly expiresAt: string;
  readonly link: string | null;
}

export interface Webhook {
  readonly url: string | null;
  readonly events: readonly string[];
  readonly secret: string;
  readonly previousSecretUntil: string | null;
  readonly health: 'healthy' | 'failing' | 'disabled';
  readonly failingSince: string | null;
  /** Set when the endpoint answers 410. */
  readonly disabledAt: string | null;
  readonly lastSuccessAt: string | null;
}

/** One of several webhooks. `primary` is that of the fields of the device. */
export interface AnyWebhook {
  readonly id: string;
  /** Null for all devices. */
  readonly deviceId: number | null;
  readonly url: string | null;
  readonly events: readonly string[];
  readonly chats: { readonly only: readonly string[] } | { readonly except: readonly string[] } | null;
  readonly headerNames: readonly string[];
  readonly enabled: boolean;
  readonly ordered: boolean;
  readonly settleSeconds: number | null;
  readonly previousSecretUntil: string | null;
  readonly health: 'healthy' | 'failing' | 'disabled';
  readonly failingSince: string | null;
  /** Set when the endpoint answers 410. */
  readonly disabledAt: string | null;
  readonly lastSuccessAt: string | null;
}

/** One POST of a delivery, with the first kilobyte of the response. */
export interface Attempt {
  readonly at: string;
  readonly status: number | null;
  readonly ms: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly headers: Readonly<Record<string, string>> | null;
}

export interface Limits {
  readonly restrictedUntil: string | null;
  readonly reason: string | null;
  readonly newChats: {
    readonly used: number | null;
    readonly limit: number | null;
    readonly resetsAt: string | null;
  };
}

/** A person on the suppression list. */
export interface Suppression {
  readonly number: string | null;
  readonly lid: string | null;
  readonly reason: string | null;
  readonly source: 'request' | 'stopWord';
  readonly createdAt: string;
}

export interface WebhookTest {
  readonly delivered: boolean;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

export type DeliveryState = 'pending' | 'delivered' | 'failed';

export interface Delivery {
  readonly id: string;
  readonly deviceId: number;
  readonly eventId: string;
  readonly eventType: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: string;
  readonly nextAttemptAt: string | null;
  readonly deliveredAt: string | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastDurationMs: number | null;
  readonly lastResponse: string | null;
  readonly late: boolean;
}

/** An event envelope; the shape of `data` depends on `type`. */
export interface HandsetEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly deviceId: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ApiKey {
  readonly id: number;
  readonly name: string;
  readonly hint: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

export interface User {
  readonly id: number;
  readonly name: string;
  readonly deviceLimit: number;
  readonly activeDevices: number;
  readonly rateLimit: number;
  readonly createdAt: string;
}

export interface Service {
  readonly version: string;
  readonly network: 'whatsapp' | 'sandbox';
  readonly client: ClientVersion | null;
  readonly reach: { readonly problem: string | null };
}

/** Counts of an hour or a day. */
export interface Usage {
  readonly from: string;
  readonly sent: number;
  readonly received: number;
  readonly failed: number;
  readonly deliveries: { readonly delivered: number; readonly pending: number; readonly failed: number };
  readonly failedPosts: number;
}

/** The client version that the service announces to the network. */
export interface ClientVersion {
  readonly version: string;
  readonly source: 'bundled' | 'stored' | 'fetched' | 'pinned';
  readonly ageDays: number | null;
  readonly problem: string | null;
  readonly warning: string | null;
}

export const eventKinds = [
  'connection.open',
  'connection.closed',
  'connection.auth',
  'connection.timeout',
  'connection.logout',
  'message.received',
  'message.sent',
  'message.updated',
  'message.deleted',
  'call',
] as const;

/** The kinds that the webhooks of one device can get. */
export const kindsOfDevices = [
  ...eventKinds,
  'chat.presence',
  'chat.settled',
  'chat.updated',
  'contact.updated',
  'history.loaded',
  'account.limited',
  'group.updated',
  'group.joined',
  'group.left',
] as const;

export const allKinds = [...kindsOfDevices, 'device.created', 'device.deleted'] as const;

/** Kinds in a device's log. The log is deleted with the device. */
export const loggedKinds = [...kindsOfDevices, 'device.created'] as const;
