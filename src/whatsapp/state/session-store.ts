/** The credential store of one session: counts running commits, and ends with the session. */
import { createHash } from 'node:crypto';
import { jidDecode } from '../library/jid.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { KeyChange, SessionChanges, KeyName } from '../../domain/changes.ts';
import { withStopWords } from '../../domain/chats/stop-words.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import { addressOf, sessionId } from '../signal/signal-records.ts';

export interface SessionStore extends SessionCredentials {
  beginLogin(deviceId: number, creds: AuthenticationCreds): void;
  /** A commit has failed or the session is over, so it is unknown what of the last step was written. */
  readonly broken: boolean;
  idle(): Promise<void>;
  /** Later commits fail: the session is over, and another may own the state. */
  end(): void;
}

export interface StopWordSettings {
  stopWords: readonly string[];
}

const maxRecent = 24;
const recentType = 'session';

/** How often a login reads each; afterwards it is dropped. */
interface Expected extends KeyName {
  readonly times: number;
}

/** The device's own list, address pair and sessions, and its newest prekey. */
const expectedOf = ({ me, nextPreKeyId }: AuthenticationCreds): readonly Expected[] => {
  const phone = jidDecode(me?.id);
  const lid = jidDecode(me?.lid);
  if (me === undefined || phone === undefined || lid === undefined) return [];
  const own = addressOf(me.id);
  return [
    { type: 'lid-mapping', id: phone.user, times: 1 },
    { type: 'lid-mapping', id: `${lid.user}_reverse`, times: 1 },
    { type: 'device-list', id: phone.user, times: 2 },
    { type: 'session', id: sessionId({ ...own, device: 0 }), times: 1 },
    { type: 'session', id: sessionId(own), times: 1 },
    { type: 'pre-key', id: String(nextPreKeyId - 1), times: 1 },
  ];
};

const nameOf = ({ type, id }: KeyName): string => `${type}/${id}`;

type Values = ReadonlyMap<string, Uint8Array>;

/** Keys the engine reads one by one at every login: read together in advance, while connecting. */
class LoginKeys {
  readonly #store: Pick<SessionCredentials, 'readKeys' | 'readTogether'>;
  readonly #left = new Map<string, { value: Uint8Array | null; times: number }>();
  #reading: Promise<void> | null = null;
  isOpen = false;

  constructor(store: Pick<SessionCredentials, 'readKeys' | 'readTogether'>) {
    this.#store = store;
  }

  begin(deviceId: number, creds: AuthenticationCreds): void {
    const expected = expectedOf(creds);
    if (expected.length === 0) return;
    this.isOpen = true;
    for (const { times, ...name } of expected) this.#left.set(nameOf(name), { value: null, times });
    this.#reading = this.#fill(deviceId, expected);
  }

  async read(deviceId: number, type: string, ids: readonly string[]): Promise<Values> {
    const isExpected = (): boolean => ids.every((id) => this.#left.has(nameOf({ type, id })));
    if (this.#left.size > 0 && isExpected() && this.#reading !== null) await this.#reading;
    if (this.#left.size === 0 || !isExpected()) return this.#store.readKeys(deviceId, type, ids);
    return new Map(
      [...new Set(ids)].flatMap((id) => {
        const value = this.#take(nameOf({ type, id }));
        return value === null ? [] : [[id, value] as const];
      }),
    );
  }

  /** Only this session writes the keys, so the store is current from now on. Once messages arrive, the login has read its keys. */
  written({ keys = [], inbox }: SessionChanges): void {
    if (inbox !== undefined) return this.forget();
    for (const { type, id } of keys) this.#left.delete(`${type}/${id}`);
  }

  forget(): void {
    this.isOpen = false;
    this.#left.clear();
    this.#reading = null;
  }

  async #fill(deviceId: number, expected: readonly Expected[]): Promise<void> {
    try {
      const values = await this.#store.readTogether(deviceId, expected);
      for (const [index, name] of expected.entries()) {
        const entry = this.#left.get(nameOf(name));
        if (entry !== undefined) entry.value = values[index] ?? null;
      }
      this.#reading = null;
    } catch {
      this.forget();
    }
  }

  #take(name: string): Uint8Array | null {
    const entry = this.#left.get(name)!;
    entry.times -= 1;
    if (entry.times === 0) this.#left.delete(name);
    return entry.value;
  }
}

/** Reads keys through two caches: login keys, and recently used session records, which only this session writes and every message needs. */
class SessionKeys {
  readonly login: LoginKeys;
  readonly #recent = new Map<string, Uint8Array | null>();
  #writes = 0;

  constructor(store: SessionCredentials) {
    this.login = new LoginKeys(store);
  }

  readonly read: SessionStore['readKeys'] = async (deviceId, type, ids) => {
    if (type !== recentType) return this.login.read(deviceId, type, ids);
    const found = new Map<string, Uint8Array>();
    const missing: string[] = [];
    for (const id of ids) {
      const record = this.#recent.get(id);
      if (record === undefined) missing.push(id);
      else if (record !== null) found.set(id, record);
    }
    if (missing.length === 0) return found;
    const before = this.#writes;
    const read = await this.login.read(deviceId, type, missing);
    for (const id of missing) {
      const record = read.get(id) ?? null;
      if (record !== null) found.set(id, record);
      if (before === this.#writes) this.#remember(id, record);
    }
    return found;
  };

  written(keys: readonly KeyChange[]): void {
    for (const { type, id, value } of keys) {
      if (type !== recentType) continue;
      this.#writes += 1;
      // A new record is not needed before its conversation continues.
      if (this.#recent.has(id)) this.#remember(id, value);
    }
  }

  #remember(id: string, record: Uint8Array | null): void {
    this.#recent.delete(id);
    this.#recent.set(id, record);
    if (this.#recent.size > maxRecent) this.#recent.delete(this.#recent.keys().next().value!);
  }

  forget(): void {
    this.#writes += 1;
    this.#recent.clear();
    this.login.forget();
  }
}

const digestOf = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('base64');

/** The credentials as last stored: every login reports a change, usually without one. */
const makeLastWritten = () => {
  let digest: string | null = null;
  let writes = 0;
  let underWay = 0;
  return {
    loaded(credentials: Uint8Array | null): void {
      if (writes === 0 && credentials !== null) digest = digestOf(credentials);
    },
    isSame: (changes: SessionChanges): boolean =>
      digest !== null &&
      changes.credentials !== undefined &&
      Object.keys(changes).length === 1 &&
      digestOf(changes.credentials) === digest,
    async during<T>(credentials: Uint8Array, write: () => Promise<T>): Promise<T> {
      writes += 1;
      const turn = writes;
      // With two writes in flight the order is unknown, so the digest is not cached.
      const isAlone = underWay === 0;
      underWay += 1;
      digest = null;
      try {
        const result = await write();
        if (isAlone && turn === writes) digest = digestOf(credentials);
        return result;
      } finally {
        underWay -= 1;
      }
    },
  };
};

const sessionEnded = (): Error => new Error('the session has ended');

/** `onFailure` is called as soon as a commit fails, so that the connection closes before a receipt for unstored data leaves. */
export const makeSessionStore = (
  store: SessionCredentials,
  onFailure: (error: unknown) => void,
  epoch: number | null = null,
  settings: StopWordSettings = { stopWords: [] },
): SessionStore => {
  const underWay = new Set<Promise<unknown>>();
  const sessionKeys = new SessionKeys(store);
  const lastWritten = makeLastWritten();
  let ended = false;
  let failed = false;

  const track = async <T>(writing: Promise<T>): Promise<T> => {
    underWay.add(writing);
    try {
      return await writing;
    } catch (error) {
      failed = true;
      sessionKeys.forget();
      onFailure(error);
      throw error;
    } finally {
      underWay.delete(writing);
    }
  };

  return {
    async loadCredentials(deviceId) {
      const credentials = await store.loadCredentials(deviceId);
      lastWritten.loaded(credentials);
      return credentials;
    },
    beginLogin: (deviceId, creds) => sessionKeys.login.begin(deviceId, creds),
    readKeys: sessionKeys.read,
    readTogether: (deviceId, keys) => store.readTogether(deviceId, keys),
    readInbox: (deviceId, key) => store.readInbox(deviceId, key),
    async commit(deviceId, changes) {
      const { credentials, keys = [] } = changes;
      if (credentials !== undefined && !ended && lastWritten.isSame(changes)) return [];
      if (sessionKeys.login.isOpen) sessionKeys.login.written(changes);
      const whole = settings.stopWords.length === 0 ? changes : withStopWords(changes, settings.stopWords);
      if (ended) throw sessionEnded();
      if (credentials === undefined) await track(store.commit(deviceId, whole, epoch));
      else await track(lastWritten.during(credentials, () => store.commit(deviceId, whole, epoch)));
      sessionKeys.written(keys);
    },
    async clearCredentials(deviceId, changes) {
      if (ended) throw sessionEnded();
      const cleared = changes.credentials ?? new Uint8Array();
      await track(lastWritten.during(cleared, () => store.clearCredentials(deviceId, changes, epoch)));
      sessionKeys.forget();
    },
    get broken() {
      return failed || ended;
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    end: () => void (ended = true),
  };
};
