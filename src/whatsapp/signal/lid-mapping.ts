/** The mapping of phone numbers to LIDs, as Baileys calls it and as the translator of events reads it: pairs that the network has told, kept in the store and cached in part. */
import { type AskNetwork, isLid, isPhone, type LidPair, makeInquiry, pairOf } from './lid-inquiry.ts';
import { jidDecode } from '../engine/jid.ts';
import type { BinaryNode } from '../engine/nodes.ts';
import type { LIDMapping } from '../engine/types.ts';
import { type Addresses, type Jid, jidKind, jidUser, lidJid, phoneJid, withoutDevice } from '../../domain/jid.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import { type BoundedCache, boundedCache } from '../engine/bounded-cache.ts';
import type { KeyChange } from '../../domain/changes.ts';
import { pairsTold } from '../identity/people.ts';

const keyType = 'lid-mapping';
const reverseSuffix = '_reverse';
/** Pairs in one transaction: other work goes on between two. */
const pairsTogether = 100;
/** How many people the cache of one device holds. */
const defaultCapacity = 2_000;

interface LidPairsOptions {
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
  /** Keeps pairs, in commits of their own. */
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
      // A commit during the read is newer.
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
const makeLidPairs = (options: LidPairsOptions): LidPairs => {
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
      for (let start = 0; start < pairs.length; start += pairsTogether) {
        const some = pairs.slice(start, start + pairsTogether);
        // Rows that the store has already are not written again, though the cache may have forgotten them.
        await findAll(some.flatMap(({ phoneUser, lidUser }) => [phoneUser, `${lidUser}${reverseSuffix}`]));
        const keys = some.flatMap(changesFor);
        if (keys.length === 0) continue;
        await store.commit(deviceId, { keys });
        committed(keys);
      }
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

export interface LidMapping {
  readonly pairs: LidPairs;
  storeLIDPNMappings(pairs: readonly LIDMapping[]): Promise<void>;
  getLIDForPN(pn: string): Promise<string | null>;
  getLIDsForPNs(pns: readonly string[]): Promise<LIDMapping[] | null>;
  getPNForLID(lid: string): Promise<string | null>;
  getPNsForLIDs(lids: readonly string[]): Promise<LIDMapping[] | null>;
  close(): void;
  /** Keeps the pairs that a stanza and its children tell. */
  learn(this: void, node: BinaryNode): Promise<void>;
  /** Both addresses of a person, from the cache or the store. */
  addressesOf(jid: Jid): Promise<Addresses>;
  /** Both addresses of a person, from the cache alone. */
  peek(this: void, jid: Jid): Addresses;
  /** As `peek`; undefined where only the store could tell. */
  find(this: void, jid: Jid): Addresses | undefined;
  /** Asks the network again for the LID of a phone JID, and follows its answer; the former LID still leads to the person. */
  refresh(pn: Jid): Promise<void>;
  /** Sets how to ask the network for pairs that the store does not know. */
  askWith(ask: AskNetwork | undefined): void;
}

/** `pn` under another user and server, device kept, in the form that Baileys' own store answers. */
const lidLike = (pn: string, lidUser: string): string => {
  const { device, server } = jidDecode(pn)!;
  return `${lidUser}${device ? `:${device}` : ''}@${server === 'hosted' ? 'hosted.lid' : 'lid'}`;
};
const phoneLike = (lid: string, phoneUser: string): string => {
  const { device, server } = jidDecode(lid)!;
  return `${phoneUser}:${device ?? 0}@${server === 'hosted.lid' ? 'hosted' : 's.whatsapp.net'}`;
};

export interface LidMappingOptions {
  readonly deviceId: number;
  readonly store: SessionCredentials;
  readonly now?: () => number;
  /** How many people the cache holds. */
  readonly capacity?: number;
}

/** Both addresses of a person, from the cache alone. */
const makePeek = (pairs: LidPairs): Pick<LidMapping, 'find' | 'peek'> => {
  const find = (jid: Jid): Addresses | undefined => {
    const kind = jidKind(jid);
    if (kind === 'phone') {
      const lidUser = pairs.cachedLidOf(jidUser(jid));
      if (lidUser === undefined) return undefined;
      return { phone: withoutDevice(jid), lid: lidUser === null ? null : lidJid(lidUser) };
    }
    if (kind !== 'lid') return { phone: null, lid: null };
    const phoneUser = pairs.cachedPhoneOf(jidUser(jid));
    if (phoneUser === undefined) return undefined;
    return { phone: phoneUser === null ? null : phoneJid(phoneUser), lid: withoutDevice(jid) };
  };
  const peek = (jid: Jid): Addresses => {
    const known = find(jid);
    if (known !== undefined) return known;
    return jidKind(jid) === 'phone'
      ? { phone: withoutDevice(jid), lid: null }
      : { phone: null, lid: withoutDevice(jid) };
  };
  return { find, peek };
};

export const makeLidMapping = (options: LidMappingOptions): LidMapping => {
  const pairs = makeLidPairs(options);
  const { find, peek } = makePeek(pairs);
  const inquire = makeInquiry(pairs, options.now ?? Date.now);
  let ask: AskNetwork | undefined;

  const getLIDsForPNs = async (pns: readonly string[]): Promise<LIDMapping[] | null> => {
    const phones = [...new Set(pns.filter(isPhone))];
    const users = [...new Set(phones.map((pn) => jidUser(pn)))];
    const known = await Promise.all(users.map((user) => pairs.lidOf(user)));
    const unknown = users.filter((_, index) => known[index] === null);
    if (unknown.length > 0 && ask !== undefined) await inquire(ask, unknown);
    const found: LIDMapping[] = [];
    for (const pn of phones) {
      const lidUser = await pairs.lidOf(jidUser(pn));
      if (lidUser !== null) found.push({ lid: lidLike(pn, lidUser), pn });
    }
    return found.length > 0 ? found : null;
  };

  const getPNsForLIDs = async (lids: readonly string[]): Promise<LIDMapping[] | null> => {
    const found: LIDMapping[] = [];
    for (const lid of new Set(lids.filter(isLid))) {
      const phoneUser = await pairs.phoneOf(jidUser(lid));
      if (phoneUser !== null) found.push({ lid, pn: phoneLike(lid, phoneUser) });
    }
    return found.length > 0 ? found : null;
  };

  return {
    pairs,
    storeLIDPNMappings: (mappings) =>
      pairs.keep(mappings.map(({ lid, pn }) => pairOf(lid, pn)).filter((pair) => pair !== null)),
    learn: (node) => pairs.keep(pairsTold(node)),
    getLIDsForPNs,
    getPNsForLIDs,
    getLIDForPN: async (pn) => (await getLIDsForPNs([pn]))?.[0]?.lid ?? null,
    getPNForLID: async (lid) => (await getPNsForLIDs([lid]))?.[0]?.pn ?? null,
    close: () => pairs.clear(),
    async addressesOf(jid) {
      if (jidKind(jid) === 'phone') await pairs.lidOf(jidUser(jid));
      if (jidKind(jid) === 'lid') await pairs.phoneOf(jidUser(jid));
      return peek(jid);
    },
    peek,
    find,
    async refresh(pn) {
      if (ask !== undefined && isPhone(pn)) await inquire(ask, [jidUser(pn)]);
    },
    askWith(next) {
      ask = next;
    },
  };
};
