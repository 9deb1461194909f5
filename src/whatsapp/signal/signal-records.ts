/**
 * Sessions and sender keys. The protocol names the device behind a JID by a Signal address. A unit of work has each record under one lock and one
 * address: the LID if known, else the phone number.
 */
import { Mutex } from 'async-mutex';
import type { KeyChange, SessionChanges } from '../../domain/changes.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import { jidDecode } from '../library/jid.ts';
import type { LidPairs } from './lid-mapping.ts';
import { mergeSessions } from './session-record.ts';

export interface SignalAddress {
  readonly name: string;
  readonly device: number;
}

const spaces = { phone: 0, lid: 1, hosted: 128, hostedLid: 129 } as const;
const hostedDevice = 99;

const named = (user: string, domain: number, device: number): SignalAddress => ({
  name: domain === spaces.phone ? user : `${user}_${domain}`,
  device,
});

export const addressOf = (jid: string): SignalAddress => {
  const decoded = jidDecode(jid);
  if (!decoded || decoded.user === '') throw new Error('a Signal address needs a JID with a user');
  const { user, server, domainType } = decoded;
  const device = decoded.device ?? 0;
  if (device === hostedDevice && server !== 'hosted' && server !== 'hosted.lid') {
    throw new Error('Device 99 is for hosted accounts only');
  }
  return named(user, domainType ?? spaces.phone, device);
};

export const sessionId = ({ name, device }: SignalAddress): string => `${name}.${device}`;

export const senderKeyId = (group: string, { name, device }: SignalAddress): string => `${group}::${name}::${device}`;

const parts = ({ name }: SignalAddress): { user: string; domain: number } => {
  const end = name.indexOf('_');
  return end === -1
    ? { user: name, domain: spaces.phone }
    : { user: name.slice(0, end), domain: Number(name.slice(end + 1)) };
};

/** The user of a phone address, including hosted ones; null for others. */
export const phoneUserOf = (address: SignalAddress): string | null => {
  // Fast path: usually a LID.
  if (address.name.endsWith('_1')) return null;
  const { user, domain } = parts(address);
  return domain === spaces.phone || domain === spaces.hosted ? user : null;
};

/** The user of a LID address, including hosted ones; null for others. */
export const lidUserOf = (address: SignalAddress): string | null => {
  const { user, domain } = parts(address);
  return domain === spaces.lid || domain === spaces.hostedLid ? user : null;
};

export const underLid = (phone: SignalAddress, lidUser: string): SignalAddress =>
  named(lidUser, parts(phone).domain === spaces.hosted ? spaces.hostedLid : spaces.lid, phone.device);

const underPhone = (lid: SignalAddress, phoneUser: string): SignalAddress =>
  named(phoneUser, parts(lid).domain === spaces.hostedLid ? spaces.hosted : spaces.phone, lid.device);

export const phoneDevice = (user: string, device: number): SignalAddress =>
  named(user, device === hostedDevice ? spaces.hosted : spaces.phone, device);

export type RecordStore = Pick<SessionCredentials, 'readKeys' | 'commit' | 'readInbox'>;

export const reporting = (store: RecordStore, report: (error: unknown) => void): RecordStore => {
  const watched =
    <A extends unknown[], T>(call: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      try {
        return await call(...given);
      } catch (error) {
        report(error);
        throw error;
      }
    };
  return { readKeys: watched(store.readKeys), readInbox: watched(store.readInbox), commit: watched(store.commit) };
};

const lidName = /_(?:1|129)(?:\.|::)/;

/** LID before phone addresses: the holder of a LID lock may wait for the person's phone lock (to move a record), never the reverse. */
const compareLocks = (a: string, b: string): number => {
  const rank = Number(lidName.test(b)) - Number(lidName.test(a));
  if (rank !== 0) return rank;
  return a < b ? -1 : Number(a > b);
};

/** Locks by name, first come first served; unused names take no memory. */
export class Locks {
  readonly #mutexes = new Map<string, Mutex>();

  /** Returns a function that releases them. */
  async acquire(names: readonly string[]): Promise<() => void> {
    const held: [name: string, mutex: Mutex][] = [];
    for (const name of names.length > 1 ? [...new Set(names)].sort(compareLocks) : names) {
      const mutex = this.#mutexes.get(name) ?? new Mutex();
      this.#mutexes.set(name, mutex);
      await mutex.acquire();
      held.push([name, mutex]);
    }
    return () => {
      for (const [name, mutex] of held.splice(0)) {
        mutex.release();
        if (!mutex.isLocked()) this.#mutexes.delete(name);
      }
    };
  }

  get size(): number {
    return this.#mutexes.size;
  }
}

interface Entry {
  readonly type: string;
  readonly id: string;
  readonly value: Uint8Array | null;
  readonly isChanged: boolean;
}

/** The values an operation has read and changed, and its locks. Changes stay in the unit until it is committed. */
export class UnitOfWork {
  readonly #options: SignalRecordsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #releases: (() => void)[] = [];
  readonly #held = new Set<string>();

  constructor(options: SignalRecordsOptions) {
    this.#options = options;
  }

  async hold(names: readonly string[]): Promise<void> {
    const missing: string[] = [];
    for (const name of names) if (!this.#held.has(name)) missing.push(name);
    if (missing.length === 0) return;
    this.#releases.push(await this.#options.locks.acquire(missing));
    for (const name of missing) this.#held.add(name);
  }

  holds(name: string): boolean {
    return this.#held.has(name);
  }

  release(): void {
    for (const release of this.#releases.splice(0)) release();
  }

  async load(type: string, ids: readonly string[]): Promise<void> {
    const missing: string[] = [];
    for (const id of ids) if (!this.#entries.has(`${type} ${id}`)) missing.push(id);
    if (missing.length === 0) return;
    const { store, deviceId } = this.#options;
    const found = await store.readKeys(deviceId, type, missing);
    for (const id of missing) {
      this.#entries.set(`${type} ${id}`, { type, id, value: found.get(id) ?? null, isChanged: false });
    }
  }

  get(type: string, id: string): Uint8Array | null {
    const entry = this.#entries.get(`${type} ${id}`);
    if (entry === undefined) throw new Error(`The unit of work has not loaded this ${type}`);
    return entry.value;
  }

  put(type: string, id: string, value: Uint8Array | null): void {
    this.#entries.set(`${type} ${id}`, { type, id, value, isChanged: true });
  }

  async commit(changes: SessionChanges = {}): Promise<void> {
    const { deviceId, store, pairs } = this.#options;
    const keys: KeyChange[] = [];
    for (const entry of this.#entries.values()) if (entry.isChanged) keys.push(entry);
    if (changes.keys !== undefined) keys.push(...changes.keys);
    if (keys.length === 0 && Object.keys(changes).length === 0) return;
    await store.commit(deviceId, { ...changes, keys });
    pairs.committed(keys);
  }
}

export interface RecordKind {
  readonly type: 'session' | 'sender-key';
  readonly idOf: (address: SignalAddress) => string;
}

const session = 'session';

/** If both have a session, the target's stays current. */
export const moveRecords = async (
  unit: UnitOfWork,
  type: RecordKind['type'],
  from: string,
  to: string,
): Promise<void> => {
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

export interface SignalRecordsOptions {
  readonly deviceId: number;
  readonly store: RecordStore;
  readonly locks: Locks;
  readonly pairs: LidPairs;
}

export class SignalRecords {
  readonly #options: SignalRecordsOptions;

  constructor(options: SignalRecordsOptions) {
    this.#options = options;
  }

  /** The address under which a device's records are locked and stored. */
  async resolve(jid: string): Promise<SignalAddress> {
    const address = addressOf(jid);
    const phoneUser = phoneUserOf(address);
    const lidUser = phoneUser === null ? null : await this.#options.pairs.lidOf(phoneUser);
    return lidUser === null ? address : underLid(address, lidUser);
  }

  /** False if the person's LID became known after `resolve`. */
  isCurrent(address: SignalAddress): boolean {
    const phoneUser = phoneUserOf(address);
    return phoneUser === null || (this.#options.pairs.cachedLidOf(phoneUser) ?? null) === null;
  }

  /** The id under which the record may still be stored from before the LID was known. */
  async formerId(kind: RecordKind, address: SignalAddress): Promise<string | null> {
    const { pairs } = this.#options;
    const lidUser = lidUserOf(address);
    const phoneUser = lidUser === null ? null : await pairs.phoneOf(lidUser);
    if (phoneUser === null || (await pairs.lidOf(phoneUser)) !== lidUser) return null;
    return kind.idOf(underPhone(address, phoneUser));
  }

  async on<T>(kind: RecordKind, jid: string, work: (unit: UnitOfWork, id: string) => Promise<T>): Promise<T> {
    for (;;) {
      const address = await this.resolve(jid);
      const id = kind.idOf(address);
      const outcome = await this.holding([id], async (unit) => {
        // The record may have moved to the LID during the wait for the lock.
        if (!this.isCurrent(address)) return null;
        await this.load(unit, kind, address);
        return { result: await work(unit, id) };
      });
      if (outcome !== null) return outcome.result;
    }
  }

  async holding<T>(ids: readonly string[], work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    const unit = new UnitOfWork(this.#options);
    await unit.hold(ids);
    try {
      return await work(unit);
    } finally {
      unit.release();
    }
  }

  /** Its lock must be held. From the phone address this takes another lock, which a unit on several records must already hold (`formerId`). */
  async load(unit: UnitOfWork, kind: RecordKind, address: SignalAddress): Promise<void> {
    const id = kind.idOf(address);
    await unit.load(kind.type, [id]);
    if (unit.get(kind.type, id) !== null) return;
    const former = await this.formerId(kind, address);
    if (former === null) return;
    await unit.hold([former]);
    await moveRecords(unit, kind.type, former, id);
  }

  read(type: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    return this.#options.store.readKeys(this.#options.deviceId, type, ids);
  }

  async find(kind: RecordKind, jid: string): Promise<Uint8Array | null> {
    const address = await this.resolve(jid);
    const ids = [kind.idOf(address), await this.formerId(kind, address)].filter((id) => id !== null);
    const found = await this.read(kind.type, ids);
    return ids.map((id) => found.get(id)).find((record) => record !== undefined) ?? null;
  }
}
