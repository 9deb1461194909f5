/** Leases: which node runs a device's session, until when, and what it publishes to the others. */
import type { Session } from './sessions/session.ts';

/** Timeouts between a node and the database; they may differ between nodes. */
export interface LeaseTimes {
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly marginMs: number;
  /** Timeout of a renewal, and of another node's answer. */
  readonly answerMs: number;
  /** Retry interval while the database does not answer. */
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
  readonly url: string;
  /** Stopping: takes no devices and gives its own away. */
  readonly draining: boolean;
  readonly devices: number;
  readonly epochs: number;
  /** By the database's clock, ms. Only compare for equality: it changes with each renewal. */
  readonly leaseEnd: number;
}

export interface SessionMemo {
  readonly session: Session;
  readonly pairingNumber: string | null;
  readonly at: number;
}

export interface Lease {
  readonly deviceId: number;
  /** Counts owners of the device; writes with an older epoch are refused. */
  readonly epoch: number;
  readonly memo: SessionMemo | null;
}

/** Null: no node, or one whose lease has ended. */
export interface Placement {
  readonly owner: Pick<ClusterNode, 'id' | 'url'> | null;
  readonly memo: SessionMemo | null;
}

export type Acquired =
  | { readonly kind: 'held'; readonly lease: Lease }
  | { readonly kind: 'elsewhere'; readonly owner: Pick<ClusterNode, 'id' | 'url'> };

export class LeaseLost extends Error {
  readonly deviceId: number;

  constructor(deviceId: number) {
    super(`Another node owns device ${deviceId}`);
    this.deviceId = deviceId;
  }
}

/** With a time: only if the taker's lease still ends then, so that a request delayed by a database outage takes nothing. */
export type Orphans = 'none' | 'any' | { readonly ownLeaseEnd: number };

/** A lease has ended when it was not renewed for its length, by the clock of the observing node. */
export interface LeaseStore {
  /** Adds the node, or renews its lease. Returns the live nodes, including itself. */
  renew(node: Pick<ClusterNode, 'id' | 'url' | 'draining'>, leaseMs?: number): Promise<readonly ClusterNode[]>;
  nodes(): Promise<readonly ClusterNode[]>;
  /** Throws DeviceNotFound, and LeaseLost if the holder may come back. */
  acquire(nodeId: string, deviceId: number, orphans?: Orphans): Promise<Acquired>;
  /** Takes devices that need a session and have no holder: released ones ('none'), or also orphans. */
  take(nodeId: string, limit: number, orphans: Orphans): Promise<readonly Lease[]>;
  release(deviceId: number, epoch: number, wanted: boolean): Promise<void>;
  note(deviceId: number, epoch: number, memo: SessionMemo): Promise<void>;
  held(nodeId: string, deviceId?: number): Promise<ReadonlyMap<number, number>>;
  find(deviceIds: readonly number[]): Promise<ReadonlyMap<number, Placement>>;
  leave(nodeId: string): Promise<void>;
}

export interface RateStore {
  take(
    userId: number,
    limit: number,
    windowMs: number,
    keyId?: number | null,
  ): Promise<{
    readonly allowed: boolean;
    readonly remaining: number;
    readonly used: number;
    readonly resetMs: number;
    readonly valid: boolean;
  }>;
}

export interface ClusterStore {
  readonly leases: LeaseStore;
  readonly rates: RateStore;
  alone<T>(run: () => Promise<T>): Promise<T>;
}
