/** The runtimes of the devices in this process, at most one each, and the scope in which a request works on one. */
import { noLimits } from '../../domain/account-limits.ts';
import type { Clock } from '../../domain/clock.ts';
import type { DeviceRecord } from '../../domain/device.ts';
import { LeaseLost, type SessionMemo } from '../../domain/lease.ts';
import { bannedUntil } from '../../domain/sessions/ban.ts';
import { type Session, sessionOf } from '../../domain/sessions/session.ts';
import type { Stores, DeviceStore } from '../../domain/stores.ts';
import { deviceNotFound } from '../../errors.ts';
import { DeviceRuntime, type RuntimeParts } from './device-runtime.ts';
import type { Actor } from '../../domain/audit.ts';

const isClosed = ({ session }: SessionMemo): boolean =>
  session.state.kind === 'closed' && session.state.reason !== 'shutdown';

/** A pairing under way starts again, as each connection gets its own QR. */
const wantsPairing = (record: DeviceRecord, memo: SessionMemo | null): boolean =>
  memo !== null && !isClosed(memo) && record.account === null && record.subscriptionStatus === 'active';

/** The session by the record, with what only the former owner knew. */
export const inherited = (record: DeviceRecord, memo: SessionMemo | null, now: number): Session => {
  const session = sessionOf(record, now);
  if (memo === null || record.subscriptionStatus === 'inactive') return session;
  if (isClosed(memo)) return memo.session;
  const { reconnects, offered, state } = memo.session;
  const limits = session.limits ?? noLimits;
  // A move is no reason to retry a banned account.
  if (record.account !== null && bannedUntil(state, now) !== null) return { ...session, state, reconnects, limits };
  const since = session.state.kind === 'reconnecting' && state.kind === 'reconnecting' ? { since: state.since } : {};
  return { ...session, state: { ...session.state, ...since }, reconnects, limits, offered };
};

export class Runtimes {
  readonly #parts: RuntimeParts;
  readonly #byId = new Map<number, DeviceRuntime>();
  readonly #ending = new Map<number, Promise<void>>();
  onNew: (runtime: DeviceRuntime) => void = () => undefined;
  onGone: (deviceId: number) => void = () => undefined;
  #stopped = false;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
  }

  /** A new runtime connects a linked, active device at once. */
  of(record: DeviceRecord): DeviceRuntime {
    const known = this.#byId.get(record.id);
    if (known !== undefined && !known.disposed) return known;
    const runtime = new DeviceRuntime(record, this.#parts);
    this.#byId.set(record.id, runtime);
    runtime.handle({ kind: this.#stopped ? 'shutdown' : 'restore' });
    this.onNew(runtime);
    return runtime;
  }

  sessionOf(record: DeviceRecord): Session {
    return this.#byId.get(record.id)?.session ?? sessionOf(record, this.#parts.clock.now());
  }

  /** Continues what another node left: a link, a pairing, or only the reason for having none. */
  adopt(record: DeviceRecord, memo: SessionMemo | null): DeviceRuntime {
    const known = this.#byId.get(record.id);
    if (known !== undefined && !known.disposed) return known;
    const runtime = new DeviceRuntime(record, this.#parts, inherited(record, memo, this.#parts.clock.now()));
    this.#byId.set(record.id, runtime);
    runtime.pairingNumber = memo?.pairingNumber ?? null;
    const begins = wantsPairing(record, memo) && runtime.session.state.kind === 'closed';
    runtime.handle({ kind: begins ? 'start' : 'restore' });
    this.onNew(runtime);
    return runtime;
  }

  forget(runtime: DeviceRuntime): void {
    if (this.#byId.get(runtime.id) === runtime) this.#byId.delete(runtime.id);
    this.onGone(runtime.id);
  }

  abandon(deviceId: number): Promise<void> {
    const runtime = this.find(deviceId);
    if (runtime === null) return this.#ending.get(deviceId) ?? Promise.resolve();
    this.forget(runtime);
    const ending = runtime.dispose(new LeaseLost(deviceId)).finally(() => this.#ending.delete(deviceId));
    this.#ending.set(deviceId, ending);
    return ending;
  }

  find(deviceId: number): DeviceRuntime | null {
    return this.#byId.get(deviceId) ?? null;
  }

  all(): readonly DeviceRuntime[] {
    return [...this.#byId.values()];
  }

  async remove(runtime: DeviceRuntime): Promise<void> {
    await runtime.dispose();
    this.forget(runtime);
  }

  async shutdown(): Promise<void> {
    this.#stopped = true;
    const all = this.all();
    for (const runtime of all) runtime.handle({ kind: 'shutdown' });
    await Promise.all(all.flatMap((runtime) => [runtime.connection.end(), runtime.writes.settled]));
  }
}

/** Sessions in this process, or as published by their nodes, in the order of the records. */
export const sessionsOf = async (
  {
    runtimes,
    stores,
    clock,
  }: { readonly runtimes: Runtimes; readonly stores: Pick<Stores, 'cluster'>; readonly clock: Clock },
  records: readonly DeviceRecord[],
): Promise<readonly Session[]> => {
  const { cluster } = stores;
  if (cluster === null) return records.map((record) => runtimes.sessionOf(record));
  const elsewhere = records.filter(({ id }) => runtimes.find(id) === null).map(({ id }) => id);
  const placements = await cluster.leases.find(elsewhere);
  return records.map((record) => {
    const own = runtimes.find(record.id);
    if (own !== null) return own.session;
    const { owner = null, memo = null } = placements.get(record.id) ?? {};
    return owner !== null && memo !== null ? memo.session : inherited(record, memo, clock.now());
  });
};

interface Parts {
  readonly stores: { readonly devices: Pick<DeviceStore, 'find' | 'ownerOf'> };
  readonly runtimes: Runtimes;
}

export class DeviceScope {
  readonly id: number;
  readonly userId: number;
  readonly actor: Actor;
  readonly #parts: Parts;

  constructor(parts: Parts, { id, userId }: Pick<DeviceRecord, 'id' | 'userId'>, actor: Actor) {
    this.#parts = parts;
    this.id = id;
    this.userId = userId;
    this.actor = actor;
  }

  async record(): Promise<DeviceRecord> {
    const record = await this.#parts.stores.devices.find(this.id);
    if (record === null) throw deviceNotFound();
    return record;
  }

  /** Reads the record only if there is no runtime. */
  async runtime(): Promise<DeviceRuntime> {
    const { runtimes } = this.#parts;
    const known = runtimes.find(this.id);
    return known === null || known.disposed ? runtimes.of(await this.record()) : known;
  }

  /** Serialized with other operations on the device; `record` is read when it begins. */
  async operate<T>(operation: (runtime: DeviceRuntime, record: DeviceRecord) => Promise<T>): Promise<T> {
    const runtime = await this.runtime();
    return runtime.work(() => runtime.operations.runExclusive(async () => operation(runtime, await this.record())));
  }
}

export const makeScopes = (parts: Parts) => ({
  of: (device: Pick<DeviceRecord, 'id' | 'userId'>, actor: Actor): DeviceScope => new DeviceScope(parts, device, actor),
  /** Null: the operator, who may reach all. Throws DeviceNotFound, so that nobody learns of others' devices. */
  async prove(userId: number | null, id: number, actor: Actor): Promise<DeviceScope> {
    // A device is deleted only after its runtime.
    const known = parts.runtimes.find(id);
    const owner = known === null || known.disposed ? await parts.stores.devices.ownerOf(id) : known.userId;
    if (owner === null || (userId !== null && owner !== userId)) throw deviceNotFound();
    return new DeviceScope(parts, { id, userId: owner }, actor);
  },
});

export type DeviceScopes = ReturnType<typeof makeScopes>;
