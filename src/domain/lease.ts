/** Leases: which node runs a device's session, until when, and what it tells the other nodes. */
import type { Session } from './sessions/session.ts';

/** Time limits between a node and the database; nodes may differ. */
export interface LeaseTimes {
  /** A node's lease ends this long after its last renewal. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** Sockets close this long before the lease ends, as clocks differ in speed and closing takes time. */
  readonly marginMs: number;
  /** Time limit of a renewal, and of an answer by another node. */
  readonly answerMs: number;
  /** Interval of attempts while the database does not answer. */
  readonly retryMs: number;
}

export const leaseTimes = (leaseMs = 10_000): LeaseTimes => ({
  leaseMs,
  renewMs: leaseMs * 0.3,
  marginMs: leaseMs * 0.2,
  answerMs: leaseMs * 0.2,
  retryMs: leaseMs * 0.1,
});

/** One run of one process; a restarted node has a new id. */
export interface ClusterNode {
  readonly id: string;
  /** URL at which the other nodes reach it (`HANDSET_NODE_URL`). */
  readonly url: string;
  /** It is stopping: it takes no devices and gives its own away. */
  readonly draining: boolean;
  /** Number of devices it holds. */
  readonly devices: number;
  /** Sum of the epochs of its devices. */
  readonly epochs: number;
  /** End of the lease by the database's clock, ms. Only compare it for equality: it changes with each renewal. */
  readonly leaseEnd: number;
}

/** The session as published by its owner, for the other nodes and the next owner. */
export interface SessionMemo {
  readonly session: Session;
  readonly pairingNumber: string | null;
  /** When it was written, ms. */
  readonly at: number;
}

export interface Lease {
  readonly deviceId: number;
  /** Counts the owners of the device; the database refuses writes with an older one. */
  readonly epoch: number;
  /** The previous owner's memo. */
  readonly memo: SessionMemo | null;
}

/** The node that holds a device; null: none, or one whose lease has ended. */
export interface Placement {
  readonly owner: Pick<ClusterNode, 'id' | 'url'> | null;
  readonly memo: SessionMemo | null;
}

export type Acquired =
  | { readonly kind: 'held'; readonly lease: Lease }
  | { readonly kind: 'elsewhere'; readonly owner: Pick<ClusterNode, 'id' | 'url'> };

/** A write or operation under a lease that another node has taken. */
export class LeaseLost extends Error {
  readonly deviceId: number;

  constructor(deviceId: number) {
    super(`Another node owns device ${deviceId}`);
    this.deviceId = deviceId;
  }
}

/**
 * Devices of nodes whose lease has ended. With a time, they are taken only if the taker's own lease still ends then: after a database
 * outage every lease has ended, and a delayed request must take nothing.
 */
export type Orphans = 'none' | 'any' | { readonly ownLeaseEnd: number };

/** Port to leases. A lease has ended when its node did not renew it for its length, by the clock of the observing node. */
export interface LeaseStore {
  /** Adds the node, or renews all its leases (10 s by default). Returns the live nodes, including itself. */
  renew(node: Pick<ClusterNode, 'id' | 'url' | 'draining'>, leaseMs?: number): Promise<readonly ClusterNode[]>;
  /** The live nodes. */
  nodes(): Promise<readonly ClusterNode[]>;
  /** Takes the device if it is free or orphaned. Throws DeviceNotFound, and LeaseLost if its holder may come back. */
  acquire(nodeId: string, deviceId: number, orphans?: Orphans): Promise<Acquired>;
  /** Takes devices that need a session and have no holder: returned ones ('none'), or also orphans. */
  take(nodeId: string, limit: number, orphans: Orphans): Promise<readonly Lease[]>;
  /** Returns a device; `wanted`: another node should take it. */
  release(deviceId: number, epoch: number, wanted: boolean): Promise<void>;
  /** Publishes the state of the session. Throws LeaseLost. */
  note(deviceId: number, epoch: number, memo: SessionMemo): Promise<void>;
  /** The node's devices (or one of them) with their epochs. */
  held(nodeId: string, deviceId?: number): Promise<ReadonlyMap<number, number>>;
  find(deviceIds: readonly number[]): Promise<ReadonlyMap<number, Placement>>;
  /** Ends the node's lease at once, for all its devices. */
  leave(nodeId: string): Promise<void>;
}

/** Requests per minute and user, counted over all nodes. */
export interface RateStore {
  take(
    userId: number,
    limit: number,
    windowMs: number,
    /** The key of the request; absent for requests without one. */
    keyId?: number | null,
  ): Promise<{
    readonly allowed: boolean;
    readonly remaining: number;
    /** Time until the oldest request of the window no longer counts. */
    readonly resetMs: number;
    /** False if the key was revoked or has expired. */
    readonly valid: boolean;
  }>;
}

/** Ports of a database shared by several processes. */
export interface ClusterStore {
  readonly leases: LeaseStore;
  readonly rates: RateStore;
  /** Runs while no other node does the same. */
  alone<T>(run: () => Promise<T>): Promise<T>;
}
