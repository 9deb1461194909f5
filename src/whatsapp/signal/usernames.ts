/** Usernames by LID, stored beside the pairs and partly cached: the newest wins. */
import type { KeyChange } from '../../domain/changes.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import { type KeptUsername, keptUsernameBytes, keptUsernameOf, usernameKeys } from '../../domain/chats/usernames.ts';
import { type BoundedCache, boundedCache } from '../library/bounded-cache.ts';
import { contactHash } from '../identity/hashes.ts';
import type { ToldUsername } from '../identity/usernames.ts';

const capacity = 4_000;
const together = 100;

export interface UsernamesOptions {
  readonly deviceId: number;
  readonly store: SessionCredentials;
  /** The account's own name is not stored. */
  readonly isOwn?: (lidUser: string) => boolean;
}

export interface Usernames {
  /** From the cache; undefined if only the store could tell. */
  cached(lidUser: string): string | null | undefined;
  /** Among cached people. Colliding ones are all returned, up to `most`. */
  withHash(hash: string, most: number): readonly string[];
  load(lidUsers: readonly string[]): Promise<void>;
  /** Effective by `committed`. */
  changesFor(told: readonly ToldUsername[]): readonly KeyChange[];
  committed(changes: readonly KeyChange[]): void;
  /** In commits of their own. `loaded`: no events. */
  keep(told: readonly ToldUsername[], loaded?: boolean): Promise<void>;
  clear(): void;
}

const nothing: readonly KeyChange[] = [];
const lower = (username: string): string => username.toLowerCase();

type Cache = BoundedCache<KeptUsername | null>;

/** A name has one owner: a former one, as far as cached, loses it. */
const takenOver = (news: readonly ToldUsername[], cache: Cache): readonly ToldUsername[] => {
  const owners = new Map(
    news.flatMap((each) => (each.username === null ? [] : [[lower(each.username), each] as const])),
  );
  const renamed = new Set(news.map(({ lidUser }) => lidUser));
  const former: ToldUsername[] = [];
  for (const [lidUser, known] of owners.size === 0 ? [] : cache.entries()) {
    const at = known === null || known.username === null ? undefined : owners.get(lower(known.username))?.at;
    if (at !== undefined && at >= known!.at && !renamed.has(lidUser)) former.push({ lidUser, username: null, at });
  }
  return former;
};

export const makeUsernames = ({ deviceId, store, isOwn = () => false }: UsernamesOptions): Usernames => {
  const cache: Cache = boundedCache(capacity);

  const isNew = ({ lidUser, username, at }: ToldUsername): boolean => {
    if (isOwn(lidUser)) return false;
    const known = cache.get(lidUser) ?? null;
    if (known === null) return username !== null;
    if (known.username !== username) return at >= known.at;
    // In memory alone: a repeated name is not rewritten.
    if (at > known.at) cache.set(lidUser, { username, at });
    return false;
  };

  const changesFor = (told: readonly ToldUsername[]): readonly KeyChange[] => {
    const news = told.length === 0 ? told : told.filter(isNew);
    if (news.length === 0) return nothing;
    const changes = [...takenOver(news, cache), ...news];
    return changes.map((each) => ({ type: usernameKeys, id: each.lidUser, value: keptUsernameBytes(each) }));
  };

  const load = async (lidUsers: readonly string[]): Promise<void> => {
    const missing = [...new Set(lidUsers)].filter((user) => cache.get(user) === undefined);
    if (missing.length === 0) return;
    const stored = await store.readKeys(deviceId, usernameKeys, missing);
    for (const user of missing) {
      const value = stored.get(user);
      // A commit during the read is newer.
      if (cache.get(user) === undefined) cache.set(user, value === undefined ? null : keptUsernameOf(value));
    }
  };

  const committed = (changes: readonly KeyChange[]): void => {
    for (const { type, id, value } of changes)
      if (type === usernameKeys) cache.set(id, value === null ? null : keptUsernameOf(value));
  };

  return {
    cached: (lidUser) => {
      const known = cache.get(lidUser);
      return known === undefined ? undefined : (known?.username ?? null);
    },
    withHash(hash, most) {
      const users: string[] = [];
      for (const [lidUser] of cache.entries())
        if (users.length < most && contactHash(lidUser) === hash) users.push(lidUser);
      return users;
    },
    load,
    changesFor,
    committed,
    async keep(told, loaded = false) {
      for (let start = 0; start < told.length; start += together) {
        const some = told.slice(start, start + together);
        await load(some.map(({ lidUser }) => lidUser));
        const keys = changesFor(some);
        if (keys.length === 0) continue;
        await store.commit(deviceId, loaded ? { loaded: true, keys } : { keys });
        committed(keys);
      }
    },
    clear: () => cache.clear(),
  };
};
