/** Which devices live on this node, where nodes share a database: takes them, gives them away, and finds those of others. */
import pLimit from 'p-limit';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { DeviceRecord } from '../../domain/device.ts';
import type { ClusterNode, Lease, LeaseStore, SessionMemo } from '../../domain/lease.ts';
import { LeaseLost, leaseTimes } from '../../domain/lease.ts';
import type { DeviceStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { LeaseCheckCache } from './lease-check-cache.ts';
import { pause } from '../time/deadline.ts';
import type { LeaseHolder } from '../sessions/device-runtime.ts';
import { type AskPeer, NodeLease } from './node-lease.ts';
import { type Owner, OwnerCache } from './owner-cache.ts';
import type { Runtimes } from '../sessions/runtimes.ts';
import { longestIdle, shareOf, surplusOf } from './share.ts';

export interface OwnershipParts {
  readonly leases: LeaseStore;
  readonly devices: Pick<DeviceStore, 'findMany'>;
  /** The URL at which the other nodes reach this one. */
  readonly url: () => string;
  readonly askPeer: AskPeer;
  /** The length of this node's lease; 10 s by default. */
  readonly leaseMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Completes the pair of events of a device that is not to be connected. */
  readonly complete: (deviceId: number) => Promise<void>;
}

/** Devices taken at a time, how often, and how soon where there are more: the pace of a failover. What follows is bounded by the slots. */
const takeSize = 64;
const takeMs = 500;
const moreMs = 100;
const atOnce = 8;
/** A device on its way from one node to another is waited for: longer than a busy one may take to finish and to close. */
const moveMs = 20_000;
const pollMs = 50;
/** Sends under way get this long to finish before a device moves. */
const quietMs = 5_000;
/** After giving devices away to balance, a node leaves the free ones to others. */
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
  /** The nodes at the last renewal: a node that does not know of a newcomer yet would take what is given away for it. */
  #known: ReadonlySet<string> = new Set();
  /** The database has other devices than are here, or under other epochs. */
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

  /** Takes what is free, and from then on what becomes free. */
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

  /** The device is deleted. */
  forget(deviceId: number): void {
    this.#held.delete(deviceId);
    this.#checks.forget(deviceId);
  }

  /** Finds the node that owns the device, and takes the device when nobody does. `fresh`: the cached owner proved wrong. */
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
      // Its own, and not here: an answer of the database was lost on the way.
      if (!this.#moving.has(deviceId) && this.node.valid) {
        const owner = await this.#acquire(deviceId);
        if (owner !== null) return owner;
      }
      if (clock.now() >= until) throw new LeaseLost(deviceId);
      await pause(clock, pollMs);
    }
  }

  /** Hands every device to the other nodes, one after the other; those that nobody can take end here. */
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

  /** Null: it was taken in this moment, or its former owner may come back. */
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

  /** `asked`: when the database was asked for them. */
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
    // Its own lease of before, from a database that has gone back: that session can write no more, and ends before the next begins.
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

  /** True when there may be more. */
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

  /** Compares with the database: an answer about a device that was taken or given back may have been lost on the way, or the database put back. */
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

  /** A node with clearly more than its share gives some away: those that were used the longest time ago. */
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

  /** Requests wait from here on; what is under way is finished, the socket closed, and only then the lease given back. */
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

  /** Everything ends here, and now; the devices come back, here or elsewhere, under new leases. */
  #abandon(): void {
    const all = [...this.#held.keys()];
    this.#held.clear();
    this.#checks.clear();
    for (const deviceId of all) void this.#close(deviceId);
  }
}
