/** The mapping of phone numbers to LIDs, as Baileys calls it and as the translator of events reads it. */
import { isHostedLidUser, isHostedPnUser, isLidUser, isPnUser, jidDecode } from '../engine/jid.ts';
import type { LIDMapping } from '../engine/types.ts';
import type { Addresses, Jid } from '../../domain/jid.ts';
import { jidKind, jidUser, lidJid, phoneJid, withoutDevice } from '../../domain/jid.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import { type LidPair, type LidPairs, makeLidPairs } from './lid-pairs.ts';

/** Asks the network for the LIDs of phone JIDs. */
export type AskNetwork = (phoneJids: string[]) => Promise<LIDMapping[] | undefined>;

export interface LidMapping {
  readonly pairs: LidPairs;
  storeLIDPNMappings(pairs: readonly LIDMapping[]): Promise<void>;
  getLIDForPN(pn: string): Promise<string | null>;
  getLIDsForPNs(pns: readonly string[]): Promise<LIDMapping[] | null>;
  getPNForLID(lid: string): Promise<string | null>;
  getPNsForLIDs(lids: readonly string[]): Promise<LIDMapping[] | null>;
  close(): void;
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

/** A number whose LID the network did not know is not asked for again within this time. */
const unknownFor = 60_000;
const maxUnknown = 1_000;

const isPhone = (jid: string): boolean => Boolean(isPnUser(jid) || isHostedPnUser(jid));
const isLid = (jid: string): boolean => Boolean(isLidUser(jid) || isHostedLidUser(jid));

/** A pair in either order; null when it is not one of a phone JID and a LID. */
const pairOf = (a: string, b: string): LidPair | null => {
  const [lid, pn] = isLid(a) ? [a, b] : [b, a];
  if (!isLid(lid) || !isPhone(pn)) return null;
  const lidUser = jidDecode(lid)?.user;
  const phoneUser = jidDecode(pn)?.user;
  return lidUser && phoneUser ? { lidUser, phoneUser } : null;
};

/** `pn` under another user and server, device kept, in the form that Baileys' own store answers. */
const lidLike = (pn: string, lidUser: string): string => {
  const { device, server } = jidDecode(pn)!;
  return `${lidUser}${device ? `:${device}` : ''}@${server === 'hosted' ? 'hosted.lid' : 'lid'}`;
};
const phoneLike = (lid: string, phoneUser: string): string => {
  const { device, server } = jidDecode(lid)!;
  return `${phoneUser}:${device ?? 0}@${server === 'hosted.lid' ? 'hosted' : 's.whatsapp.net'}`;
};

/** Asks the network about phone numbers: each once at a time, and not again soon when it does not know. */
const makeInquiry = (pairs: LidPairs, now: () => number) => {
  const running = new Map<string, Promise<void>>();
  const unknownSince = new Map<string, number>();

  const fetch = async (ask: AskNetwork, users: readonly string[]): Promise<void> => {
    const answer = (await ask(users.map((user) => phoneJid(user)))) ?? [];
    const found = answer.map(({ lid, pn }) => pairOf(lid, pn)).filter((pair) => pair !== null);
    await pairs.keep(found);
    const known = new Set(found.map(({ phoneUser }) => phoneUser));
    for (const user of users) {
      if (known.has(user)) continue;
      unknownSince.set(user, now());
      await pairs.forget(user);
    }
    while (unknownSince.size > maxUnknown) unknownSince.delete(unknownSince.keys().next().value!);
  };

  return async (ask: AskNetwork, users: readonly string[]): Promise<void> => {
    const due = users.filter(
      (user) => !running.has(user) && now() - (unknownSince.get(user) ?? -Infinity) >= unknownFor,
    );
    if (due.length > 0) {
      const answered = fetch(ask, due).finally(() => {
        for (const user of due) running.delete(user);
      });
      for (const user of due) running.set(user, answered);
      // Whoever waits below for somebody else's question first may never come to this one.
      answered.catch(() => {});
    }
    for (const user of users) await running.get(user);
  };
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
