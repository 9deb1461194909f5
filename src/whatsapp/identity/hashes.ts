/**
 * A contact's hash announces changed devices (`<notification type="devices"><update hash>`), whose list is queried before the next message: the
 * first three bytes of MD5 over the user of a migrated contact's LID, else over the number; colliding contacts are both queried (whatsapp-rust
 * a5416dae, 2026-08, hashes of the real network; WA Web `getContactRecordByHash`).
 */
import { hash, createHash } from 'node:crypto';
import { jidUser, lidJid, phoneJid } from '../../domain/jid.ts';
import type { BoundedCache } from '../library/bounded-cache.ts';
import type { BinaryNode } from '../library/nodes.ts';
import type { Peek } from './people.ts';
import { jidDecode } from '../library/jid.ts';

const hashLength = 4;
const maxHashes = 10;

export const contactHash = (user: string): string => hash('md5', `${user}WA_ADD_NOTIF`, 'base64').slice(0, hashLength);

export const contactHashesIn = ({ content }: BinaryNode): string[] => {
  const changes = Array.isArray(content) ? content : [];
  return changes
    .filter(({ tag, content: inside }) => tag === 'update' && !(Array.isArray(inside) && inside.length > 0))
    .map(({ attrs }) => attrs['hash'] ?? '')
    .slice(0, maxHashes);
};

type List = readonly { readonly server: string }[];

const jidOf = (user: string, [first]: List): string =>
  first?.server.endsWith('lid') === true ? lidJid(user) : phoneJid(user);

export const usersByHash = (
  cache: Pick<BoundedCache<List>, 'entries'>,
  mapping: { readonly peek: Peek },
): ReadonlyMap<string, ReadonlySet<string>> => {
  const users = new Map<string, Set<string>>();
  for (const [user, list] of cache.entries()) {
    const { phone, lid } = mapping.peek(jidOf(user, list));
    for (const name of new Set([user, jidUser(phone ?? user), jidUser(lid ?? user)])) {
      const named = users.get(contactHash(name)) ?? new Set();
      users.set(contactHash(name), named.add(user));
    }
  }
  return users;
};

const bytesOfIt = 6;

const spelled = (jid: string): string => {
  const { user = '', device = 0, server = '' } = jidDecode(jid) ?? {};
  return `${user}.0:${device}@${server}`;
};

const hashOf = (jids: readonly string[]): string =>
  createHash('sha256').update(jids.map(spelled).sort().join('')).digest().subarray(0, bytesOfIt).toString('base64');

/**
 * Source: whatsmeow `participantListHashV2` (2026-08-21), zapo `phash.ts` (2026-08-19). Contested: those two include the sending device,
 * whatsapp-rust (2026-04-30) leaves it out and writes URL-safe base64. Either is accepted, since a matching hash proves the list.
 */
export const isHashOf = (told: string, jids: readonly string[], sending: string): boolean => {
  const wanted = told.replace(/^2:/, '').replaceAll('-', '+').replaceAll('_', '/');
  return wanted === hashOf([...jids, sending]) || wanted === hashOf(jids);
};

/** The hash in a group message, over its devices and the sending one. */
export const participantHash = (jids: readonly string[], sending: string): string => `2:${hashOf([...jids, sending])}`;
