/** Opens units of work on the record of one person's device, under one lock and one address, and commits them. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import type { SignalAddress } from './addresses.ts';
import type { LidPairs } from './lid-pairs.ts';
import type { Locks } from './locks.ts';
import { makeResolution, type Resolution } from './resolution.ts';
import { Reserves } from './reserves.ts';
import { type KeyReader, Unit } from './unit.ts';
import { mergeSessions } from './states.ts';

export type UnitStore = Pick<SessionCredentials, 'readKeys' | 'commit' | 'readInbox'>;

/** Which of a person's records an operation works on: the session, or the sender key of one group. */
export interface RecordKind {
  readonly type: 'session' | 'sender-key';
  readonly idOf: (address: SignalAddress) => string;
}

export interface Units {
  readonly read: KeyReader;
  readonly resolve: Resolution['resolve'];
  readonly resolveAll: Resolution['resolveAll'];
  readonly isCurrent: Resolution['isCurrent'];
  /** Runs `work` on the record of a JID. What it changes is kept only if it commits the unit. */
  on<T>(kind: RecordKind, jid: string, work: (unit: Unit, id: string) => Promise<T>): Promise<T>;
  /**
   * Brings the record into a unit that holds its lock, from where it was before the LID became known if need be. For that
   * it takes one more lock: a unit that works on several records has to have it already (`formerId`).
   */
  load(unit: Unit, kind: RecordKind, address: SignalAddress): Promise<void>;
  /** Under which id the record may still be, besides its own. */
  formerId(kind: RecordKind, address: SignalAddress): Promise<string | null>;
  /** Runs `work` with several records locked. */
  holding<T>(ids: readonly string[], work: (unit: Unit) => Promise<T>): Promise<T>;
  /** The record of a JID as it is in the store now, or null. */
  find(kind: RecordKind, jid: string): Promise<Uint8Array | null>;
  /** Everything that the unit changed, and `changes`, in one transaction. */
  commit(unit: Unit, changes?: SessionChanges): Promise<void>;
  /** The same of a unit that has sealed messages: how many on the chain of which session, where it did nothing else to that. */
  commitSealed(unit: Unit, sealed: ReadonlyMap<string, number>, changes: SessionChanges): Promise<void>;
}

const session = 'session';

/** Moves what is kept under one id to another; where both have a session, the target's stays the open one. */
export const moveRecords = async (unit: Unit, type: RecordKind['type'], from: string, to: string): Promise<void> => {
  for (const each of type === session ? [session, 'identity-key'] : [type]) {
    await unit.load(each, [from, to]);
    const old = unit.get(each, from);
    if (old === null) continue;
    const present = unit.get(each, to);
    if (present === null) unit.put(each, to, old);
    else if (each === session) unit.put(each, to, mergeSessions(present, old));
    unit.put(each, from, null);
  }
};

export interface UnitsOptions {
  readonly deviceId: number;
  readonly store: UnitStore;
  readonly locks: Locks;
  readonly pairs: LidPairs;
}

const commits = (
  { deviceId, store, pairs }: UnitsOptions,
  reserves: Reserves,
): Pick<Units, 'commit' | 'commitSealed'> => {
  const commit: Units['commit'] = async (unit, changes = {}) => {
    const keys = [...unit.changes(), ...(changes.keys ?? [])];
    if (keys.length === 0 && Object.keys(changes).length === 0) return;
    for (const { type, id } of keys) if (type === session) reserves.drop(id);
    await store.commit(deviceId, { ...changes, keys });
    pairs.committed(keys);
  };
  return {
    commit,
    async commitSealed(unit, sealed, changes) {
      const settled = reserves.settle(unit, sealed);
      try {
        await commit(unit, changes);
      } catch (error) {
        reserves.forget();
        throw error;
      }
      settled();
    },
  };
};

export const makeUnits = (options: UnitsOptions): Units => {
  const { deviceId, store, locks, pairs } = options;
  const resolution = makeResolution(pairs);
  const reserves = new Reserves();
  const read: KeyReader = async (type, ids) => {
    const found = await store.readKeys(deviceId, type, ids);
    return type === session ? reserves.recall(ids, found) : found;
  };

  const holding: Units['holding'] = async (ids, work) => {
    const unit = new Unit(read, locks);
    await unit.hold(ids);
    try {
      return await work(unit);
    } finally {
      unit.release();
    }
  };

  const formerId: Units['formerId'] = async (kind, address) => {
    const before = await resolution.formerly(address);
    return before === null ? null : kind.idOf(before);
  };

  const load: Units['load'] = async (unit, kind, address) => {
    const id = kind.idOf(address);
    await unit.load(kind.type, [id]);
    if (unit.get(kind.type, id) !== null) return;
    const before = await formerId(kind, address);
    if (before === null) return;
    await unit.hold([before]);
    await moveRecords(unit, kind.type, before, id);
  };

  return {
    read,
    resolve: (jid) => resolution.resolve(jid),
    resolveAll: (jids) => resolution.resolveAll(jids),
    isCurrent: (address) => resolution.isCurrent(address),
    load,
    formerId,
    holding,
    async on<T>(kind: RecordKind, jid: string, work: (unit: Unit, id: string) => Promise<T>): Promise<T> {
      for (;;) {
        const address = await resolution.resolve(jid);
        const id = kind.idOf(address);
        const outcome = await holding([id], async (unit) => {
          // Whoever waited for the lock may find the record gone to the LID meanwhile.
          if (!resolution.isCurrent(address)) return null;
          await load(unit, kind, address);
          return { result: await work(unit, id) };
        });
        if (outcome !== null) return outcome.result;
      }
    },
    async find(kind, jid) {
      const address = await resolution.resolve(jid);
      const before = await resolution.formerly(address);
      const ids = [address, ...(before === null ? [] : [before])].map(kind.idOf);
      const found = await read(kind.type, ids);
      return ids.map((id) => found.get(id)).find((record) => record !== undefined) ?? null;
    },
    ...commits(options, reserves),
  };
};
