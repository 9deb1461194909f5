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
  /** How long a whole request may take: what waits for the network ends a little before that. */
  readonly requestTimeoutMs: number;
  /** Largest file that is sent by URL. */
  readonly maxMediaBytes: number;
  /** How many devices may be connecting at a time. */
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
  /** The place of kept media; null, or left out: there is none. */
  readonly keptFiles?: KeptFiles | null | undefined;
  /** Signs one-time tokens; the same on all nodes of an installation. A process that runs alone may leave it out. */
  readonly tokenKey?: Uint8Array | undefined;
  /** How this node is reached by the others, and reaches them; needed where nodes share the database. */
  readonly node?: Pick<OwnershipParts, 'url' | 'askPeer' | 'leaseMs'> | undefined;
}

/** The parts with the devices that live in this process. */
export interface LiveParts extends ServiceParts {
  readonly runtimes: Runtimes;
  readonly scopes: DeviceScopes;
  readonly keeper: MediaKeeper;
  readonly uploads: Uploads;
  /** Null where one process has the database alone. */
  readonly ownership: Ownership | null;
}
