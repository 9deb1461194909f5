/** Which devices live on this node if nodes share a database: takes them, gives them away, and locates others'. */
import pLimit from 'p-limit';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { DeviceRecord } from '../../domain/device.ts';
import type { ClusterNode, Lease, LeaseStore, SessionMemo } from '../../domain/lease.ts';
import { LeaseLost, leaseTimes } from '../../domain/lease.ts';
import type { DeviceStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { LeaseCheckCache, type Owner, OwnerCache } from './caches.ts';
import { pause } from '../time/deadline.ts';
import type { LeaseHolder } from '../sessions/device-runtime.ts';
import { type AskPeer, NodeLease, longestIdle, shareOf, surplusOf } from './node-lease.ts';
import type { Runtimes } from '../sessions/runtimes.ts';

export interface OwnershipParts {
  readonly leases: LeaseStore;
  readonly devices: Pick<DeviceStore, 'findMany'>;
  readonly url: () => string;
  readonly askPeer: AskPeer;
  readonly leaseMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Writes the missing `connection.closed` of a device that will not be connected. */
  readonly complete: (deviceId: number) => Promise<void>;
}

/** Devices taken at a time, how often, and the pause while there are more: the pace of a failover. */
const takeSize = 64;
const takeMs = 500;
const moreMs = 100;
const atOnce = 8;
/** Timeout of a device's move; longer than its sends and its close take. */
const moveMs = 20_000;
const pollMs = 50;
/** Time for sends under way before a device moves. */
const quietMs = 5_000;
/** After giving devices away, a node takes no free ones for this long. */
const modestMs = 5_000;

export class Ownership implements LeaseHolder {
  readonly #parts: OwnershipParts;
  readonly #held = new Map<number, number>();
  readonly #checks: LeaseCheckCache;
  readonly #moving = new Set<number>();
  readonly #owners: OwnerCache;
  readonly node: NodeLease;
  #runtimes: Runtimes | null = null;
  #timer: Timer | null = null;
  #taking: Promise<void> = Promise.resolve();
  #modestUntil = 0;
  /** Nodes at the last renewal: devices are given away only when every node knows all others. */
  #known: ReadonlySet<string> = new Set();
  /** The database disagrees with this node about its devices or epochs. */
  #unsure = false;
  #stopped = false;

  constructor(parts: OwnershipParts) {
    this.#parts = parts;
    const { leases, clock } = parts;
    this.#owners = new OwnerCache(clock);
    const times = leaseTimes(parts.leaseMs);
    this.#checks = new LeaseCheckCache(times.marginMs, (deviceId) => leases.held(this.node.id, deviceId));
    this.node = new NodeLease({
      ...parts,
      times,
      renewed: (nodes) => this.#renewed(nodes),
      lost: () => this.#abandon(),
    });
  }

  async start(runtimes: Runtimes): Promise<void> {
    this.#runtimes = runtimes;
    await this.node.start();
    this.#plan();
  }

  epochOf(deviceId: number): number {
    const epoch = this.node.valid && !this.#moving.has(deviceId) ? this.#held.get(deviceId) : undefined;
    if (epoch === undefined) throw new LeaseLost(deviceId);
    return epoch;
  }

  async holds(deviceId: number, epoch: number): Promise<boolean> {
    const isHeld = (): boolean => this.#held.get(deviceId) === epoch && this.node.valid;
    return isHeld() && (await this.#checks.holds(deviceId, epoch)) && isHeld();
  }

  note(deviceId: number, epoch: number, memo: SessionMemo): Promise<void> {
    return this.#parts.leases.note(deviceId, epoch, memo);
  }

  lost(deviceId: number, epoch: number): void {
    if (this.#held.get(deviceId) !== epoch) return;
    this.#parts.log.info({ deviceId }, 'another node has taken the device');
    this.forget(deviceId);
    void this.#close(deviceId);
  }

  forget(deviceId: number): void {
    this.#held.delete(deviceId);
    this.#checks.forget(deviceId);
  }

  /** Takes the device if no node owns it. `fresh`: the cached owner was wrong. */
  async locate(deviceId: number, fresh = false): Promise<Owner> {
    const { clock, leases } = this.#parts;
    if (this.#isHere(deviceId)) return { here: true };
    if (fresh) this.#owners.forget(deviceId);
    const known = this.#owners.find(deviceId);
    if (known !== undefined) return known;
    const until = clock.now() + moveMs;
    for (;;) {
      const holder = (await leases.find([deviceId])).get(deviceId)?.owner ?? null;
      const elsewhere = holder !== null && holder.id !== this.node.id ? holder.url : null;
      if (elsewhere !== null) return this.#owners.remember(deviceId, elsewhere);
      if (this.#isHere(deviceId)) return { here: true };
      // The database says the device is here, but it is not: an answer was lost.
      if (!this.#moving.has(deviceId) && this.node.valid) {
        const owner = await this.#acquire(deviceId);
        if (owner !== null) return owner;
      }
      if (clock.now() >= until) throw new LeaseLost(deviceId);
      await pause(clock, pollMs);
    }
  }

  async drain(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#taking;
    await this.node.drain();
    if (this.node.peers.some((peer) => !peer.draining)) await this.#give([...this.#held.keys()]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#taking;
    this.node.stop();
    await this.#parts.leases
      .leave(this.node.id)
      .catch((error: unknown) => this.#parts.log.warn({ reason: messageOf(error) }, 'could not leave the cluster'));
  }

  #isHere(deviceId: number): boolean {
    return this.#held.has(deviceId) && !this.#moving.has(deviceId) && this.node.valid;
  }

  /** Null if another node took it just now, or its former owner may come back. */
  async #acquire(deviceId: number): Promise<Owner | null> {
    const other = this.node.draining ? this.node.peers.find(({ draining }) => !draining) : undefined;
    if (other !== undefined) return { here: false, url: other.url };
    const { id } = this.node;
    const asked = performance.now();
    const given = await this.#parts.leases.acquire(id, deviceId, this.node.orphans).catch((error: unknown) => {
      if (error instanceof LeaseLost) return null;
      throw error;
    });
    if (given === null) return null;
    if (given.kind === 'elsewhere') return this.#owners.remember(deviceId, given.owner.url);
    await this.#adoptAll(id, [given.lease], asked);
    return { here: true };
  }

  async #adoptAll(nodeId: string, leases: readonly Lease[], asked: number): Promise<void> {
    const found = await this.#parts.devices.findMany(leases.map(({ deviceId }) => deviceId));
    const records = new Map(found.map((record) => [record.id, record]));
    await pLimit(atOnce).map(leases, (lease) => this.#adopt(nodeId, lease, records.get(lease.deviceId), asked));
  }

  async #adopt(nodeId: string, lease: Lease, record: DeviceRecord | undefined, asked: number): Promise<void> {
    const { leases, complete } = this.#parts;
    const { deviceId, epoch, memo } = lease;
    const isKnown = (): boolean => nodeId !== this.node.id || this.#held.get(deviceId) === epoch;
    if (isKnown()) return;
    if (record === undefined) return leases.release(deviceId, epoch, false);
    // An own lease from before a restore of the database: its session cannot write, and ends before the next begins.
    this.#held.delete(deviceId);
    await this.#close(deviceId);
    if (isKnown()) return;
    this.#held.set(deviceId, epoch);
    this.#checks.remember(deviceId, epoch, asked);
    this.#owners.forget(deviceId);
    if (record.announcedOpen && (record.account === null || record.subscriptionStatus === 'inactive')) {
      await complete(deviceId);
    }
    this.#runtimes!.adopt(record, memo);
  }

  #plan(ms = takeMs): void {
    if (this.#stopped) return;
    const { clock, log } = this.#parts;
    this.#timer = clock.after(ms, () => {
      this.#taking = this.#take()
        .catch((error: unknown) => {
          log.warn({ reason: messageOf(error) }, 'could not take devices');
          return false;
        })
        .then((more) => this.#plan(more ? moreMs : takeMs));
    });
  }

  async #take(): Promise<boolean> {
    const { leases, clock } = this.#parts;
    if (!this.node.reachable || !this.node.valid || this.node.draining) return false;
    const { id } = this.node;
    const room = shareOf(this.node.nodes) - this.#held.size;
    const asked = performance.now();
    const modest = clock.now() < this.#modestUntil || room < 0;
    const free = modest ? [] : await leases.take(id, takeSize, 'none');
    const orphans = this.node.steady ? await leases.take(id, takeSize, this.node.orphans) : [];
    await this.#adoptAll(id, [...free, ...orphans], asked);
    if (this.#unsure) await this.#compare(id);
    return free.length === takeSize || orphans.length === takeSize;
  }

  /** Compares with the database: the answer to a take or release may have been lost, or the database restored. */
  async #compare(nodeId: string): Promise<void> {
    this.#unsure = false;
    const before = new Map(this.#held);
    const held = await this.#parts.leases.held(nodeId);
    const leases: Lease[] = [];
    for (const [deviceId, epoch] of held) {
      if (this.#held.get(deviceId) === epoch || this.#moving.has(deviceId)) continue;
      const given = await this.#parts.leases.acquire(nodeId, deviceId, 'none');
      if (given.kind === 'held') leases.push(given.lease);
    }
    await this.#adoptAll(nodeId, leases, -Infinity);
    for (const [deviceId, epoch] of before) if (held.get(deviceId) !== epoch) this.lost(deviceId, epoch);
  }

  #renewed(nodes: readonly ClusterNode[]): void {
    const own = nodes.find(({ id }) => id === this.node.id);
    const epochs = [...this.#held.values()].reduce((sum, epoch) => sum + epoch, 0);
    this.#unsure = own !== undefined && (own.devices !== this.#held.size || own.epochs !== epochs);
    if (nodes.every(({ id }) => this.#known.has(id))) this.#balance(nodes);
    this.#known = new Set(nodes.map(({ id }) => id));
  }

  /** Gives away what clearly exceeds this node's share, the longest unused first. */
  #balance(nodes: readonly ClusterNode[]): void {
    const { clock } = this.#parts;
    if (this.#stopped || this.node.draining || this.#moving.size > 0) return;
    const surplus = surplusOf(nodes, this.#held.size);
    if (surplus === 0) return;
    this.#modestUntil = clock.now() + modestMs;
    const here = this.#runtimes!.all().filter(({ id }) => this.#held.has(id));
    void this.#give(longestIdle(here, Math.min(surplus, atOnce * 4)));
  }

  #give(deviceIds: readonly number[]): Promise<unknown> {
    return pLimit(atOnce).map(deviceIds, (id) => this.#move(id));
  }

  /** New requests wait; sends finish, the socket closes, then the lease is released. */
  async #move(deviceId: number): Promise<void> {
    const { clock, leases, log } = this.#parts;
    const epoch = this.#held.get(deviceId);
    if (epoch === undefined || this.#moving.has(deviceId)) return;
    this.#moving.add(deviceId);
    try {
      const runtime = this.#runtimes!.find(deviceId);
      const until = clock.now() + quietMs;
      if (runtime !== null) {
        while (clock.now() < until && runtime.working) await pause(clock, pollMs);
        await runtime.handOver();
        this.#runtimes!.forget(runtime);
      }
      await leases.release(deviceId, epoch, runtime === null || runtime.session.state.kind !== 'closed');
    } catch (error) {
      log.warn({ deviceId, reason: messageOf(error) }, 'could not release a device');
    } finally {
      this.forget(deviceId);
      this.#moving.delete(deviceId);
    }
  }

  async #close(deviceId: number): Promise<void> {
    await this.#runtimes?.abandon(deviceId);
  }

  /** Ends all sessions at once; the devices come back under new leases. */
  #abandon(): void {
    const all = [...this.#held.keys()];
    this.#held.clear();
    this.#checks.clear();
    for (const deviceId of all) void this.#close(deviceId);
  }
}
