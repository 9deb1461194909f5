/** This node's lease on all its devices: renewed in time, and given up here before the database may give it to others. */
import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { ClusterNode, LeaseStore, LeaseTimes, Orphans } from '../../domain/lease.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import { within } from '../time/deadline.ts';

/** Whether another node reaches the database, or that nothing listens at its address. Rejects on no answer. */
export type AskPeer = (url: string) => Promise<{ readonly database: boolean } | 'gone'>;

type Asked = PromiseSettledResult<Awaited<ReturnType<AskPeer>>>;

/** A node that neither renews nor listens has ended; one that renewed a moment ago may only be unreachable. */
const takesNothing = (asked: Asked, isMissing: boolean): boolean => {
  if (asked.status === 'rejected') return false;
  return asked.value === 'gone' ? isMissing : !asked.value.database;
};

export interface NodeLeaseParts {
  readonly leases: Pick<LeaseStore, 'nodes' | 'renew'>;
  readonly times: LeaseTimes;
  readonly url: () => string;
  readonly askPeer: AskPeer;
  readonly clock: Clock;
  readonly log: Logger;
  /** `steady`: renewed without a gap for the length of a lease. */
  readonly renewed: (nodes: readonly ClusterNode[], steady: boolean) => void;
  readonly lost: () => void;
  /** Milliseconds of a monotonic clock that runs while the process is suspended. */
  readonly monotonic?: () => number;
}

export class NodeLease {
  readonly #parts: NodeLeaseParts;
  readonly #monotonic: () => number;
  #id = randomUUID();
  #validUntil = -Infinity;
  #steadySince: number | null = null;
  #nodes: readonly ClusterNode[] = [];
  /** The other nodes by id, with the time since when each is missing among the live ones. */
  readonly #others = new Map<string, { readonly url: string; readonly missingSince: number | null }>();
  #draining = false;
  #timer: Timer | null = null;
  #guard: Timer | null = null;
  #stopped = false;
  #reachable = false;

  constructor(parts: NodeLeaseParts) {
    this.#parts = parts;
    this.#monotonic = parts.monotonic ?? (() => performance.now());
  }

  get id(): string {
    return this.#id;
  }

  get valid(): boolean {
    return this.#monotonic() < this.#validUntil;
  }

  get draining(): boolean {
    return this.#draining;
  }

  get marginMs(): number {
    return this.#parts.times.marginMs;
  }

  get reachable(): boolean {
    return this.#reachable;
  }

  /** True after a full lease with the database: nodes that do not renew are gone then, not cut off together with it. */
  get steady(): boolean {
    return this.#steadySince !== null && this.#monotonic() - this.#steadySince >= this.#parts.times.leaseMs;
  }

  /** Devices of other nodes that this one may take; none before it is steady. */
  get orphans(): Orphans {
    const own = this.#nodes.find(({ id }) => id === this.#id);
    return this.steady && own !== undefined ? { ownLeaseEnd: own.leaseEnd } : 'none';
  }

  get peers(): readonly ClusterNode[] {
    return this.#nodes.filter(({ id }) => id !== this.#id);
  }

  get nodes(): readonly ClusterNode[] {
    return this.#nodes;
  }

  /** Queries the database now: the last answer may be outdated. */
  async reaches(): Promise<boolean> {
    const { leases, times, clock } = this.#parts;
    try {
      await within(clock, times.answerMs, leases.nodes());
      return true;
    } catch {
      return false;
    }
  }

  async start(): Promise<void> {
    await this.#renew();
    this.#plan(this.#parts.times.renewMs);
  }

  async drain(): Promise<void> {
    this.#draining = true;
    await this.#renew().catch(() => undefined);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#guard?.cancel();
  }

  #plan(ms: number): void {
    if (this.#stopped) return;
    this.#timer = this.#parts.clock.after(ms, () => void this.#attempt());
  }

  async #attempt(): Promise<void> {
    const { log, times } = this.#parts;
    // After a suspension, the process first checks its own lease.
    this.#look();
    try {
      await this.#renew();
      this.#plan(times.renewMs);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'could not renew the lease of this node');
      // Not awaited: one slow answer must not delay the next round.
      void this.#askAround();
      this.#plan(times.retryMs);
    }
  }

  async #renew(): Promise<void> {
    const { leases, times, url, clock } = this.#parts;
    const id = this.#id;
    const sent = this.#monotonic();
    // A late answer counts: it has renewed the lease.
    const renewal = leases
      .renew({ id, url: url(), draining: this.#draining }, times.leaseMs)
      .then((nodes) => this.#renewed(id, sent, nodes));
    try {
      await within(clock, times.answerMs, renewal);
    } catch (error) {
      this.#reachable = false;
      this.#steadySince = null;
      throw error;
    }
  }

  #renewed(id: string, sent: number, nodes: readonly ClusterNode[]): void {
    // A stalled process may read an answer too late: other nodes may have taken its devices.
    this.#look();
    if (id !== this.#id || this.#stopped) return;
    this.#nodes = nodes;
    this.#reachable = true;
    // From now, not from the request: a late answer may have been made only now.
    this.#steadySince ??= this.#monotonic();
    this.#extend(sent);
    this.#remember(nodes);
    this.#parts.renewed(nodes, this.steady);
  }

  /** After an outage the others' leases have expired until they renew: no node is forgotten at once. */
  #remember(nodes: readonly ClusterNode[]): void {
    const now = this.#monotonic();
    for (const { id, url, draining } of nodes) {
      if (id === this.#id) continue;
      if (draining) this.#others.delete(id);
      else this.#others.set(id, { url, missingSince: null });
    }
    const live = new Set(nodes.map(({ id }) => id));
    for (const [id, { url, missingSince }] of this.#others) {
      if (live.has(id)) continue;
      const since = missingSince ?? now;
      if (this.steady && now - since >= this.#parts.times.leaseMs) this.#others.delete(id);
      else this.#others.set(id, { url, missingSince: since });
    }
  }

  /** While no node reaches the database, nobody can take devices. Any other answer, or none, may mean that only this node is cut off. */
  async #askAround(): Promise<void> {
    const { clock, times, askPeer } = this.#parts;
    const id = this.#id;
    const sent = this.#monotonic();
    if (!this.valid) return;
    // Each asks the database before it answers.
    const patience = 2 * times.answerMs;
    const others = [...this.#others.values()];
    const answers = await Promise.allSettled(others.map(({ url }) => within(clock, patience, askPeer(url))));
    this.#look();
    const isAway = answers.every((answer, n) => takesNothing(answer, others[n]!.missingSince !== null));
    if (isAway && id === this.#id) this.#extend(sent);
  }

  #extend(sent: number): void {
    const { leaseMs, marginMs } = this.#parts.times;
    this.#validUntil = Math.max(this.#validUntil, sent + leaseMs - marginMs);
    this.#guardOver();
  }

  /** Fires at the end of the lease, whatever else is awaited. */
  #guardOver(): void {
    this.#guard?.cancel();
    this.#guard = this.#parts.clock.after(this.#validUntil - this.#monotonic(), () => this.#look());
  }

  /** A new id, so that nothing of the former lease is taken for the new one's. */
  #look(): void {
    if (this.#stopped || this.#validUntil === -Infinity) return;
    // Timers may fire early by as long as the loop was busy when they were set.
    if (this.valid) return this.#guardOver();
    this.#parts.log.error({ node: this.#id }, 'the lease of this node has ended: its sessions are closed');
    this.#id = randomUUID();
    this.#validUntil = -Infinity;
    this.#steadySince = null;
    this.#parts.lost();
  }
}

type Load = Pick<ClusterNode, 'draining' | 'devices'>;

export const shareOf = (nodes: readonly Load[]): number => {
  const staying = nodes.filter(({ draining }) => !draining).length;
  const held = nodes.reduce((sum, { devices }) => sum + devices, 0);
  return staying <= 1 ? Infinity : Math.ceil(held / staying) + 1;
};

export const surplusOf = (nodes: readonly Load[], held: number): number => {
  const share = shareOf(nodes);
  const least = Math.min(...nodes.filter(({ draining }) => !draining).map(({ devices }) => devices));
  return least < share * 0.9 ? Math.max(0, held - share) : 0;
};

type Movable = Pick<DeviceRuntime, 'id' | 'session' | 'working' | 'usedAt'>;

/** False during a pairing, a reconnect or a send. */
const isSettled = ({ session, working }: Movable): boolean =>
  !working && (session.state.kind === 'open' || session.state.kind === 'closed');

export const longestIdle = (runtimes: readonly Movable[], count: number): readonly number[] =>
  runtimes
    .filter(isSettled)
    .sort((a, b) => a.usedAt - b.usedAt)
    .slice(0, count)
    .map(({ id }) => id);
