/** Phone numbers and LIDs: pairs told by the network, stored and partly cached. */
import { type AskNetwork, isLid, isPhone, makeInquiry } from './lid-inquiry.ts';
import { jidDecode } from '../library/jid.ts';
import type { BinaryNode } from '../library/nodes.ts';
import type { LIDMapping } from '../library/types.ts';
import { type Addresses, type Jid, jidKind, jidUser, lidJid, phoneJid, withoutDevice } from '../../domain/jid.ts';
import type { Clock } from '../../domain/clock.ts';
import { turnsAfter } from '../../domain/turns.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import { type BoundedCache, boundedCache } from '../library/bounded-cache.ts';
import type { KeyChange } from '../../domain/changes.ts';
import { usernameKeys } from '../../domain/chats/usernames.ts';
import { jidsIn, type Known, type LidPair, pairOf, pairsInAttributes, pairsTold } from '../identity/people.ts';
import { lidUsersIn, makeUsernames, tellsUsername, type Usernames, usernamesTold } from '../identity/usernames.ts';

const keyType = 'lid-mapping';
const reverseSuffix = '_reverse';
const pairsTogether = 100;
const defaultCapacity = 2_000;

interface LidPairsOptions {
  readonly deviceId: number;
  readonly store: SessionCredentials;
  readonly capacity?: number;
}

export interface LidPairs {
  /** Never asks the network; null if unknown. */
  lidOf(phoneUser: string): Promise<string | null>;
  phoneOf(lidUser: string): Promise<string | null>;
  /** From the cache; undefined if only the store could tell. */
  cachedLidOf(phoneUser: string): string | null | undefined;
  cachedPhoneOf(lidUser: string): string | null | undefined;
  /** Empty if the pair is known. Takes effect with `committed`. */
  changesFor(this: void, pair: LidPair): KeyChange[];
  /** Call with every commit: caches its pairs and usernames. */
  committed(changes: readonly KeyChange[]): void;
  /** In commits of their own. */
  keep(pairs: readonly LidPair[]): Promise<void>;
  /** The network no longer has a LID for this number. */
  forget(phoneUser: string): Promise<void>;
  clear(): void;
}

type Cache = BoundedCache<string | null>;

const text = new TextDecoder();

const makeReader = ({ deviceId, store }: Pick<LidPairsOptions, 'deviceId' | 'store'>, cache: Cache) => {
  const nextRead = turnsAfter(16);
  const findAll = async (ids: readonly string[]): Promise<void> => {
    const missing = ids.filter((id) => cache.get(id) === undefined);
    if (missing.length === 0) return;
    await nextRead();
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
 * Keys: `<phone user>` holds the LID's user, `<LID user>_reverse` the phone's. Rule (2026-11-22, ours): the newest number of a LID wins, the
 * other has none until the network tells it. A number with a new LID is still found by the former one.
 */
const makeLidPairs = (options: LidPairsOptions, usernames: Usernames): LidPairs => {
  const { deviceId, store } = options;
  const cache: Cache = boundedCache(2 * (options.capacity ?? defaultCapacity));
  const { find, findAll } = makeReader(options, cache);

  /** Null if the LID now belongs to another number; undefined if only the store could tell. */
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
    for (const change of changes) {
      const { type, id, value } = change;
      if (type === keyType) cache.set(id, value === null ? null : text.decode(value));
      else if (type === usernameKeys) usernames.committed(change);
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
        // Stored rows are not rewritten, even if evicted from the cache.
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
  readonly usernames: Usernames;
  storeLIDPNMappings(pairs: readonly LIDMapping[]): Promise<void>;
  getLIDForPN(pn: string): Promise<string | null>;
  getLIDsForPNs(pns: readonly string[]): Promise<LIDMapping[] | null>;
  getPNForLID(lid: string): Promise<string | null>;
  getPNsForLIDs(lids: readonly string[]): Promise<LIDMapping[] | null>;
  close(): void;
  /** What a stanza tells of people that is new; a message's children are about other things. Takes effect with `committed`. */
  changesOf(this: void, node: BinaryNode): readonly KeyChange[];
  learn(this: void, node: BinaryNode): Promise<void>;
  /** Both addresses of a person, and the username, from the cache or the store. */
  addressesOf(this: void, jid: Jid): Promise<Known>;
  /** Reads what is stored of the people whom a stanza names, for `find` and `peek`. */
  recall(this: void, node: BinaryNode): Promise<void>;
  peek(this: void, jid: Jid): Known;
  /** As `peek`; undefined if only the store could tell. */
  find(this: void, jid: Jid): Addresses | undefined;
  /** Queries a phone JID's LID again; the former LID still finds the person. */
  refresh(pn: Jid): Promise<void>;
  askWith(ask: AskNetwork | undefined): void;
}

/** Keeps the device. */
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
  readonly clock?: Pick<Clock, 'now'>;
  readonly capacity?: number;
  readonly isOwn?: (lidUser: string) => boolean;
}

const alone = (jid: Jid): Addresses =>
  jidKind(jid) === 'phone' ? { phone: withoutDevice(jid), lid: null } : { phone: null, lid: withoutDevice(jid) };

const makePeek = (pairs: LidPairs, usernames: Usernames): Pick<LidMapping, 'find' | 'peek'> => {
  const pairOfPerson = (jid: Jid): Addresses | undefined => {
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
  return {
    find(jid) {
      const known = pairOfPerson(jid);
      const { lid = null } = known ?? {};
      return lid !== null && usernames.cached(jidUser(lid)) === undefined ? undefined : known;
    },
    peek(jid) {
      const addresses = pairOfPerson(jid) ?? alone(jid);
      const username = addresses.lid === null ? null : usernames.cached(jidUser(addresses.lid));
      return username ? { ...addresses, username } : addresses;
    },
  };
};

const makePeople = (options: LidMappingOptions, clock: Pick<Clock, 'now'>) => {
  const usernames = makeUsernames(options);
  const pairs = makeLidPairs(options, usernames);
  const { find, peek } = makePeek(pairs, usernames);
  const addressesOf = async (jid: Jid): Promise<Known> => {
    if (jidKind(jid) === 'phone') await pairs.lidOf(jidUser(jid));
    // Both rows, or a stanza that tells the pair again would count as news and be read by itself.
    const phoneUser = jidKind(jid) === 'lid' ? await pairs.phoneOf(jidUser(jid)) : null;
    if (phoneUser !== null) await pairs.lidOf(phoneUser);
    const { lid } = peek(jid);
    if (lid !== null) await usernames.load([jidUser(lid)]);
    return peek(jid);
  };
  return {
    pairs,
    usernames,
    find,
    peek,
    changesOf(node: BinaryNode): readonly KeyChange[] {
      const isMessage = node.tag === 'message';
      const changes = (isMessage ? pairsInAttributes(node) : pairsTold(node)).flatMap(pairs.changesFor);
      if (isMessage && !tellsUsername(node)) return changes;
      const told = usernamesTold(node, peek, clock.now());
      return told.length === 0 ? changes : [...changes, ...usernames.changesFor(told)];
    },
    addressesOf,
    async recall(node: BinaryNode) {
      for (const jid of jidsIn(node)) if (find(jid) === undefined) await addressesOf(jid);
    },
    async learn(node: BinaryNode) {
      await Promise.all([pairs.keep(pairsTold(node)), usernames.load(lidUsersIn(node))]);
      const told = usernamesTold(node, peek, clock.now());
      if (told.length > 0) await usernames.keep(told);
    },
    close() {
      pairs.clear();
      usernames.clear();
    },
  };
};

export const makeLidMapping = (options: LidMappingOptions): LidMapping => {
  const { clock = Date } = options;
  const people = makePeople(options, clock);
  const { pairs } = people;
  const inquire = makeInquiry(pairs, () => clock.now());
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
    ...people,
    storeLIDPNMappings: (mappings) =>
      pairs.keep(mappings.map(({ lid, pn }) => pairOf(lid, pn)).filter((pair) => pair !== null)),
    getLIDsForPNs,
    getPNsForLIDs,
    getLIDForPN: async (pn) => (await getLIDsForPNs([pn]))?.[0]?.lid ?? null,
    getPNForLID: async (lid) => (await getPNsForLIDs([lid]))?.[0]?.pn ?? null,
    async refresh(pn) {
      if (ask !== undefined && isPhone(pn)) await inquire(ask, [jidUser(pn)]);
    },
    askWith(next) {
      ask = next;
    },
  };
};
