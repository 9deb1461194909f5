/** The dependencies of the HTTP interface: the use cases, the ports it reads from, and its settings. */
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

/** The outcome of a test event: the endpoint's HTTP status, or why there was none. */
export interface WebhookTest {
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

/** A certificate with its chain, and its key. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface HttpOptions {
  /** Requests a minute a user. */
  readonly rateLimit: number;
  readonly requestTimeoutMs: number;
  /** The URL at which callers reach the service, without `/v1`; null: unknown. */
  readonly publicUrl: string | null;
  /** Control interface of the sandbox network; null on the real one. */
  readonly sandboxControlUrl: string | null;
  readonly version: string;
  /** Whether `q` searches messages, chats and contacts; left out: it does. */
  readonly search?: boolean;
  /** The token that opens `/admin/v1`; null or left out: there is no `/admin/v1`. */
  readonly adminToken?: string | null;
  /** Failed authentications a minute an address; null or left out: without limit. */
  readonly authFailureLimit?: number | null;
  /** Requests of one user that are served at a time; the others wait. */
  readonly userConcurrency?: number;
  /** Proxies whose `X-Forwarded-…` headers are believed: addresses and CIDR ranges. */
  readonly trustProxy?: readonly string[];
  /** PEM: serves HTTPS with this. `renewTls` replaces it while the server runs. */
  readonly tls?: Tls | null;
  /** The folder of the built dashboard; null: none is served. Defaults to the one of this installation, once it is built. */
  readonly dashboardFolder?: string | null;
  /** How long a reader of a stream may take nothing; 60 s by default. */
  readonly stalledReaderMs?: number;
}

export interface Parts extends Omit<Service, 'keeper' | 'supervisor' | 'ownership'> {
  readonly stores: Stores;
  readonly outbound: Outbound;
  readonly mediaUrl: MediaUrl;
  wakeDispatcher(): void;
  testWebhook(webhook: Target): Promise<WebhookTest>;
  readiness(): Promise<{ readonly ready: boolean; readonly checks: Readonly<Record<string, boolean | string>> }>;
  /** Which client the service says it is on the network. */
  readonly clientVersion?: () => ClientVersionStatus;
  /** Whether the network can be reached. */
  readonly networkReach?: () => NetworkReach;
  /** Trouble since the start: delays of the event loop, and messages that were not read. */
  readonly trouble?: () => Trouble;
  readonly metrics?: Registry;
  /** Set when several nodes serve one installation. */
  readonly cluster?: Cluster | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: HttpOptions;
}
