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
import type { Trouble } from '../views/service.ts';
import type { Cluster } from '../forwarding/cluster.ts';
import type { Service } from '../../service/service.ts';

/** `status` null: no answer, for the reason in `error`. */
export interface WebhookTest {
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface HttpOptions {
  readonly rateLimit: number;
  readonly requestTimeoutMs: number;
  readonly publicUrl: string | null;
  readonly sandboxControlUrl: string | null;
  readonly version: string;
  readonly search?: boolean;
  readonly adminToken?: string | null;
  readonly authFailureLimit?: number | null;
  readonly userConcurrency?: number;
  /** Addresses and CIDR ranges of proxies whose `X-Forwarded-…` headers are trusted. */
  readonly trustProxy?: readonly string[];
  readonly tls?: Tls | null;
  /** Null: no dashboard. Default: that of this installation, if built. */
  readonly dashboardFolder?: string | null;
  readonly logRequests?: boolean;
  /** How long a stream's reader may stall; default 60 s. */
  readonly stalledReaderMs?: number;
}

export interface Services extends Omit<Service, 'mediaFetcher' | 'supervisor' | 'ownership'> {
  readonly stores: Stores;
  readonly outbound: Outbound;
  readonly mediaUrl: MediaUrl;
  wakeDispatcher(): void;
  testWebhook(webhook: Target): Promise<WebhookTest>;
  readiness(): Promise<{ readonly ready: boolean; readonly checks: Readonly<Record<string, boolean | string>> }>;
  readonly clientVersion?: () => ClientVersionStatus;
  readonly networkReach?: () => NetworkReach;
  /** Event loop delays and unread messages since the start. */
  readonly trouble?: () => Trouble;
  readonly metrics?: Registry;
  readonly cluster?: Cluster | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: HttpOptions;
}
