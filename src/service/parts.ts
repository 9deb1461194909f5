/** The dependencies of the use cases. */
import type { Clock } from '../domain/clock.ts';
import type { KeptFiles } from '../domain/messages/kept-media.ts';
import type { Network } from '../domain/network.ts';
import type { Outbound, QrRenderer } from '../domain/outbound.ts';
import type { Stores } from '../domain/stores.ts';
import type { Logger } from '../log.ts';
import type { Ownership, OwnershipParts } from './cluster/ownership.ts';
import type { MediaFetcher } from './media/fetcher.ts';
import type { Uploads } from './media/uploads.ts';
import type { Runtimes, DeviceScopes } from './sessions/runtimes.ts';

export interface ServiceOptions {
  /** Waits for the network end slightly earlier. */
  readonly requestTimeoutMs: number;
  readonly maxMediaBytes: number;
  readonly connectConcurrency: number;
  readonly eventRetentionMs: number;
  readonly messageRetentionMs: number;
}

export interface ServiceParts {
  readonly stores: Stores;
  readonly network: Network;
  readonly outbound: Outbound;
  readonly qr: QrRenderer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: ServiceOptions;
  readonly keptFiles?: KeptFiles | null | undefined;
  /** Signs one-time tokens; the same on all nodes. Optional for a single process. */
  readonly tokenKey?: Uint8Array | undefined;
  readonly node?: Pick<OwnershipParts, 'url' | 'askPeer' | 'leaseMs'> | undefined;
}

export interface LiveParts extends ServiceParts {
  readonly runtimes: Runtimes;
  readonly scopes: DeviceScopes;
  readonly mediaFetcher: MediaFetcher;
  readonly uploads: Uploads;
  readonly ownership: Ownership | null;
}
