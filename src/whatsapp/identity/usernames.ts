/**
 * Usernames, told next to an address, except in stanzas of own devices, where `username` is the account's; a missing one means nothing (zapo,
 * 2026-08-19; whatsapp-rust #1381, 2026-09-01). Stored by LID, partly cached; the newest wins.
 */
import { type BinaryNode, getBinaryNodeChild } from '../library/nodes.ts';
import { mexData } from '../socket/mex.ts';
import type { KeyChange } from '../../domain/changes.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import { type BoundedCache, boundedCache } from '../library/bounded-cache.ts';
import { contactHash } from './hashes.ts';
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import {
  type KeptUsername,
  keptUsernameBytes,
  keptUsernameOf,
  usernameIn,
  usernameKeys,
} from '../../domain/chats/usernames.ts';
import { nodesIn, type Peek, plainJid } from './people.ts';

export interface ToldUsername {
  readonly lidUser: string;
  readonly username: string | null;
  /** ms. */
  readonly at: number;
}

/** An attribute with a username, and those with the address of its owner. */
const places: readonly (readonly [name: string, addresses: readonly string[]])[] = [
  ['username', ['from', 'sender_lid', 'lid']],
  ['participant_username', ['participant', 'participant_lid']],
  ['peer_recipient_username', ['recipient', 'peer_recipient_lid', 'recipient_lid']],
  ['recipient_username', ['recipient', 'peer_recipient_lid', 'recipient_lid']],
  ['username', ['jid', 'lid']],
  ['participant_username', ['jid', 'lid']],
  ['requestor_username', ['jid', 'lid']],
  ['creator_username', ['creator', 'creator_lid']],
  ['s_o_username', ['s_o', 's_o_lid']],
  ['username', ['call-creator', 'caller_lid']],
];

const maxDepth = 6;

const lidIn = (attrs: BinaryNode['attrs'], addresses: readonly string[], peek: Peek): Jid | null => {
  const told = addresses.flatMap((name) => attrs[name] ?? []).map(plainJid);
  const lid = told.find((jid) => jidKind(jid) === 'lid');
  if (lid !== undefined) return lid;
  const phone = told.find((jid) => jidKind(jid) === 'phone');
  return phone === undefined ? null : peek(phone).lid;
};

/** LIDs in a notification, if it names few people. */
export const lidUsersIn = (node: BinaryNode, most = 64): readonly string[] => {
  const users = new Set<string>();
  const take = ({ attrs, content }: BinaryNode, depth: number): void => {
    for (const jid of [attrs['jid'], attrs['participant']])
      if (jid !== undefined && users.size < most && jidKind(jid) === 'lid') users.add(jidUser(jid));
    if (depth < maxDepth && users.size < most && Array.isArray(content))
      for (const child of content) take(child, depth + 1);
  };
  take(node, 0);
  return [...users];
};

/** Live stanzas have the second of their arrival. */
const liveMs = 3_000;

const timeOf = ({ attrs }: BinaryNode, now: number): number => {
  const at = Number(attrs.t) * 1_000;
  return at > 0 && now - at > liveMs ? at : now;
};

export const tellsUsername = ({ attrs }: BinaryNode): boolean =>
  attrs['username'] !== undefined ||
  attrs['participant_username'] !== undefined ||
  attrs['recipient_username'] !== undefined ||
  attrs['peer_recipient_username'] !== undefined;

const nothing: readonly ToldUsername[] = [];

/** Excludes children of messages, which are about other things. */
export const usernamesTold = (node: BinaryNode, peek: Peek, now: number): readonly ToldUsername[] => {
  const found: Omit<ToldUsername, 'at'>[] = [];
  for (const { attrs } of node.tag === 'message' ? [node] : nodesIn(node)) {
    for (const [name, addresses] of places) {
      const username = attrs[name] === undefined ? null : usernameIn(attrs[name]);
      const lid = username === null ? null : lidIn(attrs, addresses, peek);
      if (lid !== null) found.push({ lidUser: jidUser(lid), username });
    }
  }
  if (found.length === 0) return nothing;
  const at = timeOf(node, now);
  return found.map((each) => ({ ...each, at }));
};

const maxHash = 16;

/** The contact's hash in a `UsernameUpdateNotification`, which says nothing else (WhatsApp Web, `xwa2_notify_username_on_update_side_sub`). */
export const hashOfRenamed = (node: BinaryNode): string | null => {
  const hash = mexData(getBinaryNodeChild(node, 'update'), 'xwa2_notify_username_on_update_side_sub')?.['hash'];
  return typeof hash === 'string' && hash !== '' && hash.length <= maxHash ? hash : null;
};

/** From `UsernameSetNotification` and `UsernameDeleteNotification` (`mex`). */
export const usernamesInNotice = (node: BinaryNode, now: number): readonly ToldUsername[] => {
  const update = getBinaryNodeChild(node, 'update');
  const at = timeOf(node, now);
  const set = mexData(update, 'xwa2_notify_username_on_change');
  const gone = mexData(update, 'xwa2_notify_username_delete');
  const told: ToldUsername[] = [];
  for (const [data, username] of [
    [set, usernameIn(set?.['username'])],
    [gone, null],
  ] as const) {
    const lid = data?.['lid'];
    if (typeof lid !== 'string' || jidKind(lid) !== 'lid' || (data === set && username === null)) continue;
    told.push({ lidUser: jidUser(plainJid(lid)), username, at });
  }
  return told;
};

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
  /** Takes effect with `committed`. */
  changesFor(told: readonly ToldUsername[]): readonly KeyChange[];
  committed(change: KeyChange): void;
  /** In commits of their own. `loaded`: no events. */
  keep(told: readonly ToldUsername[], loaded?: boolean): Promise<void>;
  clear(): void;
}

const noChanges: readonly KeyChange[] = [];
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
    if (news.length === 0) return noChanges;
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

  const committed = ({ id, value }: KeyChange): void =>
    void cache.set(id, value === null ? null : keptUsernameOf(value));

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
        keys.forEach(committed);
      }
    },
    clear: () => cache.clear(),
  };
};
