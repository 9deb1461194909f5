/** The pairs of phone number and LID that the network has told, kept in the store and cached in part. */
import { type BoundedCache, boundedCache } from '../engine/bounded-cache.ts';
import type { KeyChange } from '../../domain/changes.ts';
import type { SessionCredentials } from '../../domain/stores.ts';

const keyType = 'lid-mapping';
const reverseSuffix = '_reverse';
/** How many people the cache of one device holds. */
const defaultCapacity = 2_000;

export interface LidPair {
  readonly phoneUser: string;
  readonly lidUser: string;
}

export interface LidPairsOptions {
  readonly deviceId: number;
  readonly store: SessionCredentials;
  readonly capacity?: number;
}

export interface LidPairs {
  /** The LID's user for a phone number, or null; asks the store, never the network. */
  lidOf(phoneUser: string): Promise<string | null>;
  /** The phone number for a LID's user, or null; asks the store, never the network. */
  phoneOf(lidUser: string): Promise<string | null>;
  /** Answers from the cache: undefined when only the store could tell. */
  cachedLidOf(phoneUser: string): string | null | undefined;
  cachedPhoneOf(lidUser: string): string | null | undefined;
  /** The changes that keep a pair; none when it is known. They take effect by `committed`. */
  changesFor(pair: LidPair): KeyChange[];
  /** To be told of every commit: makes the pairs in it known here. */
  committed(changes: readonly KeyChange[]): void;
  /** Keeps pairs, in one commit of their own. */
  keep(pairs: readonly LidPair[]): Promise<void>;
  /** The network knows no LID of this number any more. */
  forget(phoneUser: string): Promise<void>;
  clear(): void;
}

/** Values by id of the store's key; null for an id that the store does not have. */
type Cache = BoundedCache<string | null>;

const text = new TextDecoder();

const makeReader = ({ deviceId, store }: Pick<LidPairsOptions, 'deviceId' | 'store'>, cache: Cache) => {
  /** Makes them known here, those that are not by one read. */
  const findAll = async (ids: readonly string[]): Promise<void> => {
    const missing = ids.filter((id) => cache.get(id) === undefined);
    if (missing.length === 0) return;
    const stored = await store.readKeys(deviceId, keyType, missing);
    for (const id of missing) {
      const value = stored.get(id);
      // A commit during the read knows better.
      if (cache.get(id) === undefined) cache.set(id, value === undefined ? null : text.decode(value));
    }
  };

  const find = async (id: string): Promise<string | null> => {
    await findAll([id]);
    return cache.get(id) ?? null;
  };

  return { find, findAll };
};

/**
 * Keys: `<phone user>` holds the LID's user, `<LID user>_reverse` the phone's, as Baileys has them.
 *
 * Rule: of a LID that two numbers were told for, the newest told wins: it is that number's, and the other number has none until the network tells it.
 * A number that got another LID keeps its former one as a way to it: what comes from there still belongs to the person. (2026-11-22, ours.)
 */
export const makeLidPairs = (options: LidPairsOptions): LidPairs => {
  const { deviceId, store } = options;
  const cache: Cache = boundedCache(2 * (options.capacity ?? defaultCapacity));
  const { find, findAll } = makeReader(options, cache);

  /** The LID's user of a number, unless the LID is another number's by now; undefined where only the store could tell. */
  const cachedLidOf = (phoneUser: string): string | null | undefined => {
    const lidUser = cache.get(phoneUser);
    if (lidUser === undefined || lidUser === null) return lidUser;
    const owner = cache.get(`${lidUser}${reverseSuffix}`);
    if (owner === undefined) return undefined;
    return owner === null || owner === phoneUser ? lidUser : null;
  };

  const changesFor = ({ phoneUser, lidUser }: LidPair): KeyChange[] => {
    const reverse = `${lidUser}${reverseSuffix}`;
    if (cache.get(phoneUser) === lidUser && cache.get(reverse) === phoneUser) return [];
    return [
      { type: keyType, id: phoneUser, value: Buffer.from(lidUser) },
      { type: keyType, id: reverse, value: Buffer.from(phoneUser) },
    ];
  };

  const committed = (changes: readonly KeyChange[]): void => {
    for (const { type, id, value } of changes) {
      if (type === keyType) cache.set(id, value === null ? null : text.decode(value));
    }
  };

  return {
    async lidOf(phoneUser) {
      const known = cachedLidOf(phoneUser);
      if (known !== undefined) return known;
      const lidUser = await find(phoneUser);
      if (lidUser === null) return null;
      const owner = await find(`${lidUser}${reverseSuffix}`);
      return owner === null || owner === phoneUser ? lidUser : null;
    },
    phoneOf: (lidUser) => find(`${lidUser}${reverseSuffix}`),
    cachedLidOf,
    cachedPhoneOf: (lidUser) => cache.get(`${lidUser}${reverseSuffix}`),
    changesFor,
    committed,
    async keep(pairs) {
      // What the store has already is not written again, though the cache may have forgotten it.
      await findAll(pairs.flatMap(({ phoneUser, lidUser }) => [phoneUser, `${lidUser}${reverseSuffix}`]));
      const keys = pairs.flatMap(changesFor);
      if (keys.length === 0) return;
      await store.commit(deviceId, { keys });
      committed(keys);
    },
    async forget(phoneUser) {
      if ((await find(phoneUser)) === null) return;
      const keys = [{ type: keyType, id: phoneUser, value: null }];
      await store.commit(deviceId, { keys });
      committed(keys);
    },
    clear: () => cache.clear(),
  };
};
