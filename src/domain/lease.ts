/** Several nodes on one database: who runs a device's session, for how long, and what the others may know of it. */
import type { Session } from './sessions/session.ts';

/** How long things take between a node and the database; each node may have its own. */
export interface LeaseTimes {
  /** A node's lease ends this long after its last renewal. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** The sockets are closed this long before the lease ends, for clocks differ in speed and closing takes its time. */
  readonly marginMs: number;
  /** How long a renewal, or another node, may take to answer. */
  readonly answerMs: number;
  /** From one attempt to the next while the database does not answer. */
  readonly retryMs: number;
}

export const leaseTimes = (leaseMs = 10_000): LeaseTimes => ({
  leaseMs,
  renewMs: leaseMs * 0.3,
  marginMs: leaseMs * 0.2,
  answerMs: leaseMs * 0.2,
  retryMs: leaseMs * 0.1,
});

/** One run of one process: a node that was given up comes back under another id. */
export interface ClusterNode {
  readonly id: string;
  /** The URL at which the other nodes reach it (`HANDSET_NODE_URL`). */
  readonly url: string;
  /** It is about to stop: it takes no devices, and gives its own away. */
  readonly draining: boolean;
  /** How many devices it holds. */
  readonly devices: number;
  /** The sum of the epochs under which it holds them. */
  readonly epochs: number;
  /** The end of the lease by the database's clock, ms. Compare it for equality only: it changes with each renewal. */
  readonly leaseEnd: number;
}

/** The session as its owner published it, for the other nodes and the next owner. */
export interface SessionMemo {
  readonly session: Session;
  readonly pairingNumber: string | null;
  /** When it was written, ms. */
  readonly at: number;
}

export interface Lease {
  readonly deviceId: number;
  /** Counts the owners of the device: what carries an older one is refused by the database. */
  readonly epoch: number;
  /** The memo of the previous owner. */
  readonly memo: SessionMemo | null;
}

/** The holder of a device; null: nobody, or a node whose lease has ended. */
export interface Placement {
  readonly owner: Pick<ClusterNode, 'id' | 'url'> | null;
  readonly memo: SessionMemo | null;
}

export type Acquired =
  | { readonly kind: 'held'; readonly lease: Lease }
  | { readonly kind: 'elsewhere'; readonly owner: Pick<ClusterNode, 'id' | 'url'> };

/** A write or an operation under a lease that somebody else has by now. */
export class LeaseLost extends Error {
  readonly deviceId: number;

  constructor(deviceId: number) {
    super(`Another node owns device ${deviceId}`);
    this.deviceId = deviceId;
  }
}

/**
 * Devices of nodes whose lease has ended. With a time, they are taken only while the taker's own lease ends then: a wish that has waited for
 * a database that was away comes too late, for by then everybody's lease has ended.
 */
export type Orphans = 'none' | 'any' | { readonly ownLeaseEnd: number };

/** The port to leases. One has ended when its node has renewed nothing for its length, by the clock of the node that looks. */
export interface LeaseStore {
  /** Adds the node, or renews the lease of all that it holds (10 s if left out); the live nodes, itself among them. */
  renew(node: Pick<ClusterNode, 'id' | 'url' | 'draining'>, leaseMs?: number): Promise<readonly ClusterNode[]>;
  /** The live nodes. */
  nodes(): Promise<readonly ClusterNode[]>;
  /** Takes the device if nobody has it, or an orphan. Throws DeviceNotFound, and LeaseLost when the node that has it may come back. */
  acquire(nodeId: string, deviceId: number, orphans?: Orphans): Promise<Acquired>;
  /** Takes devices that want a session and that nobody has: given back ('none'), or orphans. */
  take(nodeId: string, limit: number, orphans: Orphans): Promise<readonly Lease[]>;
  /** Gives a device back; `wanted`: another node should take it. */
  release(deviceId: number, epoch: number, wanted: boolean): Promise<void>;
  /** Tells what the session is doing. Throws LeaseLost. */
  note(deviceId: number, epoch: number, memo: SessionMemo): Promise<void>;
  /** The devices that the node holds (or one of them), with their epochs. */
  held(nodeId: string, deviceId?: number): Promise<ReadonlyMap<number, number>>;
  find(deviceIds: readonly number[]): Promise<ReadonlyMap<number, Placement>>;
  /** Ends the node's lease at once, with all that it holds. */
  leave(nodeId: string): Promise<void>;
}

/** Requests a minute a user, counted over all nodes. */
export interface RateStore {
  take(
    userId: number,
    limit: number,
    windowMs: number,
    /** With which the request was made; left out for what is no key. */
    keyId?: number | null,
  ): Promise<{
    readonly allowed: boolean;
    readonly remaining: number;
    /** Until the oldest request of the window no longer counts. */
    readonly resetMs: number;
    /** False when the key has been revoked, or has expired. */
    readonly valid: boolean;
  }>;
}

/** Ports that only a database shared by several processes has. */
export interface ClusterStore {
  readonly leases: LeaseStore;
  readonly rates: RateStore;
  /** Runs while no other node does the same. */
  alone<T>(run: () => Promise<T>): Promise<T>;
}
