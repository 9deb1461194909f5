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

export interface DeviceSettings {
  readonly online: boolean;
  readonly readReceipts: boolean;
  /** A text is sent to the caller. */
  readonly rejectCalls: boolean | string;
  /** Chats whose presence is followed. */
  readonly presence: readonly string[];
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
  readonly lastSuccessAt: string | null;
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

/** Kinds that no webhook gets are in the log as well. */
export const loggedKinds = [...eventKinds, 'chat.presence', 'history.loaded'] as const;
