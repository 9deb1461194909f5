/** The dependencies of the use cases. */
import type { Clock } from '../domain/clock.ts';
import type { KeptFiles } from '../domain/messages/kept-media.ts';
import type { Network } from '../domain/network.ts';
import type { Outbound, QrRenderer } from '../domain/outbound.ts';
import type { Stores } from '../domain/stores.ts';
import type { Logger } from '../log.ts';
import type { Ownership, OwnershipParts } from './cluster/ownership.ts';
import type { MediaKeeper } from './media/keeper.ts';
import type { Uploads } from './media/uploads.ts';
import type { Runtimes } from './sessions/runtimes.ts';
import type { DeviceScopes } from './sessions/scope.ts';

export interface ServiceOptions {
  /** Waits for the network end a little before this. */
  readonly requestTimeoutMs: number;
  /** Largest file sent by URL, in bytes. */
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
  /** Null or omitted: media cannot be kept. */
  readonly keptFiles?: KeptFiles | null | undefined;
  /** Signs one-time tokens; the same on all nodes of an installation. A process that is alone may omit it. */
  readonly tokenKey?: Uint8Array | undefined;
  /** Needed if nodes share the database. */
  readonly node?: Pick<OwnershipParts, 'url' | 'askPeer' | 'leaseMs'> | undefined;
}

/** With the devices that live in this process. */
export interface LiveParts extends ServiceParts {
  readonly runtimes: Runtimes;
  readonly scopes: DeviceScopes;
  readonly keeper: MediaKeeper;
  readonly uploads: Uploads;
  /** Null if one process has the database alone. */
  readonly ownership: Ownership | null;
}
