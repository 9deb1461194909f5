/** The credential store as one session uses it: counts what is under way, and ends with the session. */
import { createHash } from 'node:crypto';
import type { AuthenticationCreds } from '../engine/types.ts';
import type { KeyChange, SessionChanges } from '../../domain/changes.ts';
import { withStopWords } from '../../domain/chats/stop-words.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
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

/** As they are now: their holder changes them. */
export interface StopWordSettings {
  /** Words that put their writers among those who are not written to. */
  stopWords: readonly string[];
}

/** The records of conversations that are going on. */
const maxRecent = 24;
const recentType = 'session';

/**
 * Keys as they are read: those of a login ahead of time, and the session records that were used last as they are in the store: only this
 * session writes them while it lasts, and each message needs those of its conversation.
 */
class SessionKeys {
  readonly login: LoginKeys;
  /** The one that was written last comes last. */
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
      // A write that was made meanwhile is newer.
      if (before === this.#writes) this.#remember(id, record);
    }
    return found;
  };

  written(keys: readonly KeyChange[]): void {
    for (const { type, id, value } of keys) {
      if (type !== recentType) continue;
      this.#writes += 1;
      // A new one is of no use before its conversation goes on.
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
    async during<T>(credentials: Uint8Array, write: () => Promise<T>): Promise<T> {
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
  settings: StopWordSettings = { stopWords: [] },
): SessionStore => {
  const underWay = new Set<Promise<unknown>>();
  const sessionKeys = new SessionKeys(store);
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
      const write = () => store.commit(deviceId, whole, epoch);
      await track(credentials === undefined ? write : () => lastWritten.during(credentials, write));
      sessionKeys.written(keys);
    },
    clearCredentials: (deviceId, changes) =>
      track(async () => {
        const cleared = changes.credentials ?? new Uint8Array();
        await lastWritten.during(cleared, () => store.clearCredentials(deviceId, changes, epoch));
        sessionKeys.forget();
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
