/**
 * Hashes that the network compares. By the hash of a contact it says whose devices have changed (`<notification type="devices"><update hash>`): the list
 * is asked for again before the next message. Source: whatsapp-rust a5416dae (2026-08, hashes of the real network), WA Web `getContactRecordByHash`: the
 * first three bytes of MD5 over the user of the LID of a migrated contact, else over the number. Two contacts in a few thousand share one: both are meant.
 */
import { hash, createHash } from 'node:crypto';
import { jidUser, lidJid, phoneJid } from '../../domain/jid.ts';
import type { BoundedCache } from '../engine/bounded-cache.ts';
import type { BinaryNode } from '../engine/nodes.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { jidDecode } from '../engine/jid.ts';

/** Three bytes in base64. */
const hashLength = 4;
const maxHashes = 10;

export const contactHash = (user: string): string => hash('md5', `${user}WA_ADD_NOTIF`, 'base64').slice(0, hashLength);

/** The hashes in a notification that names no device; none in every other one. */
export const contactHashesIn = ({ content }: BinaryNode): string[] => {
  const changes = Array.isArray(content) ? content : [];
  return changes
    .filter(({ tag, content: inside }) => tag === 'update' && !(Array.isArray(inside) && inside.length > 0))
    .map(({ attrs }) => attrs['hash'] ?? '')
    .slice(0, maxHashes);
};

/** Devices of one account. */
type List = readonly { readonly server: string }[];

const jidOf = (user: string, [first]: List): string =>
  first?.server.endsWith('lid') === true ? lidJid(user) : phoneJid(user);

/** The users whose lists are kept, by the hashes of both their addresses. */
export const usersByHash = (
  cache: Pick<BoundedCache<List>, 'entries'>,
  mapping: Pick<LidMapping, 'peek'>,
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
 * Whether `told` is the hash of these devices.
 *
 * Source: whatsmeow `participantListHashV2` (2026-08-21), zapo `phash.ts` (2026-08-19). Contested: those two count the sending device in, whatsapp-rust
 * (2026-04-30) leaves it out and writes base64 for URLs. Either is taken, for a hash that fits is a list that is right.
 */
export const isHashOf = (told: string, jids: readonly string[], sending: string): boolean => {
  const wanted = told.replace(/^2:/, '').replaceAll('-', '+').replaceAll('_', '/');
  return wanted === hashOf([...jids, sending]) || wanted === hashOf(jids);
};

/** The hash of the devices that a message goes to, and the one that sends it, as a message to a group names it. */
export const participantHash = (jids: readonly string[], sending: string): string => `2:${hashOf([...jids, sending])}`;
