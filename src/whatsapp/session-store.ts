/** The credential store as one session uses it: counts what is under way, and ends with the session. */
import type { SessionCredentials } from '../domain/stores.ts';

export interface SessionStore extends SessionCredentials {
  /** Resolves when no commit is under way. */
  idle(): Promise<void>;
  /** From now on every commit fails: the session is over, another one may own the state. */
  seal(): void;
}

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
  let sealed = false;

  const track = async <T>(write: () => Promise<T>): Promise<T> => {
    if (sealed) throw new Error('The session is over');
    const writing = write();
    underWay.add(writing);
    try {
      return await writing;
    } catch (error) {
      onFailure(error);
      throw error;
    } finally {
      underWay.delete(writing);
    }
  };

  return {
    loadCredentials: (deviceId) => store.loadCredentials(deviceId),
    readKeys: (deviceId, type, ids) => store.readKeys(deviceId, type, ids),
    readInbox: (deviceId, key) => store.readInbox(deviceId, key),
    commit: (deviceId, changes) => track(() => store.commit(deviceId, changes, epoch)),
    clearCredentials: (deviceId, changes) => track(() => store.clearCredentials(deviceId, changes, epoch)),
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    seal() {
      sealed = true;
    },
  };
};
