/** The credential store as one session uses it: counts what is under way, and ends with the session. */
import { createHash } from 'node:crypto';
import type { AuthenticationCreds } from '../engine/types.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import { boundedCache } from '../engine/bounded-cache.ts';
import { LoginKeys } from './login-keys.ts';

export interface SessionStore extends SessionCredentials {
  /** Reads ahead what a login with these will ask for. */
  beginLogin(deviceId: number, creds: AuthenticationCreds): void;
  /** A commit has failed, or the session is over: it is not known what of the last step is written. */
  readonly broken: boolean;
  /** Resolves when no commit is under way. */
  idle(): Promise<void>;
  /** From now on every commit fails: the session is over, another one may own the state. */
  end(): void;
}

/** The records of conversations that are going on. */
const maxRecent = 24;
const recentType = 'session';

/**
 * The session records that were used last, as they are in the store: only this session writes them while it lasts, and each
 * message needs those of its conversation.
 */
const makeRecent = (store: Pick<SessionCredentials, 'readKeys'>) => {
  const records = boundedCache<Uint8Array | null>(maxRecent);
  let writes = 0;
  return {
    async read(deviceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
      const known = ids.map((id) => records.get(id));
      const missing = ids.filter((_, index) => known[index] === undefined);
      const before = writes;
      const read = missing.length === 0 ? new Map() : await store.readKeys(deviceId, recentType, missing);
      const found = new Map<string, Uint8Array>();
      for (const [index, id] of ids.entries()) {
        const record = known[index] ?? read.get(id) ?? null;
        if (record !== null) found.set(id, record);
        // A write that was made meanwhile knows better.
        if (known[index] === undefined && before === writes) records.set(id, record);
      }
      return found;
    },
    written({ keys = [] }: SessionChanges): void {
      for (const { type, id, value } of keys) {
        if (type !== recentType) continue;
        writes += 1;
        // A new one is of no use before its conversation goes on.
        if (records.get(id) !== undefined) records.set(id, value);
      }
    },
    forget: (): void => {
      writes += 1;
      records.clear();
    },
  };
};

/** Keys as they are read: those of a login ahead of time, the records of conversations once. */
const makeKeyReader = (store: SessionCredentials) => {
  const login = new LoginKeys(store);
  const readKeys: SessionStore['readKeys'] = (deviceId, type, ids) => login.read(deviceId, type, ids);
  const recent = makeRecent({ readKeys });
  return {
    login,
    recent,
    read: (deviceId: number, type: string, ids: readonly string[]) =>
      type === recentType ? recent.read(deviceId, ids) : readKeys(deviceId, type, ids),
    forget: (): void => {
      recent.forget();
      login.forget();
    },
  };
};

const digestOf = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('base64');

/** The credentials as last stored: Baileys reports a change at each login, though mostly there is none. */
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
    async during<T>(credentials: Uint8Array | undefined, write: () => Promise<T>): Promise<T> {
      if (credentials === undefined) return write();
      writes += 1;
      const turn = writes;
      // Of two that are under way at once nobody knows which comes last.
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

/**
 * `onFailure` is called at once when a commit fails, so that the connection is down before the network can be told that
 * something was received which is kept nowhere; it delivers again later.
 */
export const makeSessionStore = (
  store: SessionCredentials,
  onFailure: (error: unknown) => void,
  epoch: number | null = null,
): SessionStore => {
  const underWay = new Set<Promise<unknown>>();
  const { login, recent, read, forget } = makeKeyReader(store);
  const lastWritten = makeLastWritten();
  let ended = false;
  let failed = false;

  const track = async <T>(write: () => Promise<T>): Promise<T> => {
    if (ended) throw new Error('the session has ended');
    const writing = write();
    underWay.add(writing);
    try {
      return await writing;
    } catch (error) {
      failed = true;
      forget();
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
    beginLogin: (deviceId, creds) => login.begin(deviceId, creds),
    readKeys: read,
    readTogether: (deviceId, keys) => store.readTogether(deviceId, keys),
    readInbox: (deviceId, key) => store.readInbox(deviceId, key),
    async commit(deviceId, changes) {
      if (!ended && lastWritten.isSame(changes)) return [];
      login.written(changes.keys ?? []);
      return track(async () => {
        const events = await lastWritten.during(changes.credentials, () => store.commit(deviceId, changes, epoch));
        recent.written(changes);
        return events;
      });
    },
    clearCredentials: (deviceId, changes) =>
      track(async () => {
        const cleared = changes.credentials ?? new Uint8Array();
        const events = await lastWritten.during(cleared, () => store.clearCredentials(deviceId, changes, epoch));
        forget();
        return events;
      }),
    get broken() {
      return failed || ended;
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    end: () => void (ended = true),
  };
};
