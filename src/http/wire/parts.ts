/** The dependencies of the HTTP interface. */
import type { Registry } from 'prom-client';
import type { ClientVersionStatus } from '../../domain/client-version.ts';
import type { MediaUrl } from '../../domain/event-view.ts';
import type { NetworkReach } from '../../domain/network.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Outbound } from '../../domain/outbound.ts';
import type { Target } from '../../domain/webhooks/webhook.ts';
import type { Stores } from '../../domain/stores.ts';
import type { Logger } from '../../log.ts';
import type { Trouble } from '../schemas/service.ts';
import type { Cluster } from '../forwarding/cluster.ts';
import type { Service } from '../../service/service.ts';

/** `status` null: no answer, for the reason in `error`. */
export interface WebhookTest {
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

/** PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface HttpOptions {
  /** Requests a minute for each user. */
  readonly rateLimit: number;
  readonly requestTimeoutMs: number;
  /** Without `/v1`; null: unknown. */
  readonly publicUrl: string | null;
  /** Null on the real network. */
  readonly sandboxControlUrl: string | null;
  readonly version: string;
  /** Whether `q` searches messages, chats and contacts; true if omitted. */
  readonly search?: boolean;
  /** Opens `/admin/v1`; null or omitted: there is none. */
  readonly adminToken?: string | null;
  /** Failed authentications a minute for each address; null or omitted: unlimited. */
  readonly authFailureLimit?: number | null;
  /** Concurrent requests of a user; others queue. */
  readonly userConcurrency?: number;
  /** Addresses and CIDR ranges of proxies whose `X-Forwarded-…` headers are trusted. */
  readonly trustProxy?: readonly string[];
  /** Serves HTTPS. `renewTls` replaces it. */
  readonly tls?: Tls | null;
  /** Null: no dashboard. Defaults to that of this installation, if built. */
  readonly dashboardFolder?: string | null;
  /** How long a reader of a stream may stall; 60 s by default. */
  readonly stalledReaderMs?: number;
}

export interface Parts extends Omit<Service, 'keeper' | 'supervisor' | 'ownership'> {
  readonly stores: Stores;
  readonly outbound: Outbound;
  readonly mediaUrl: MediaUrl;
  wakeDispatcher(): void;
  testWebhook(webhook: Target): Promise<WebhookTest>;
  readiness(): Promise<{ readonly ready: boolean; readonly checks: Readonly<Record<string, boolean | string>> }>;
  readonly clientVersion?: () => ClientVersionStatus;
  readonly networkReach?: () => NetworkReach;
  /** Delays of the event loop, and messages that were not read, since the start. */
  readonly trouble?: () => Trouble;
  readonly metrics?: Registry;
  /** Set if several nodes serve one installation. */
  readonly cluster?: Cluster | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: HttpOptions;
}
