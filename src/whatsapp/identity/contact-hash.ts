/**
 * The hash by which the network names a contact whose devices have changed: `<notification type="devices"><update hash>`, sent in the own account's name
 * and without devices. The contact's list is asked for again before the next message.
 *
 * Source: whatsapp-rust a5416dae (2026-08, hashes of the real network), WA Web `getContactRecordByHash`: the first three bytes of MD5, over the user of the
 * LID of a migrated contact, else over the number. Two contacts in a few thousand have the same one: both are meant.
 */
import { hash } from 'node:crypto';
import { jidUser, lidJid, phoneJid } from '../../domain/jid.ts';
import type { BoundedCache } from '../engine/bounded-cache.ts';
import type { BinaryNode } from '../engine/nodes.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

/** Three bytes in base64. */
const hashLength = 4;
const mostHashes = 10;

export const contactHash = (user: string): string => hash('md5', `${user}WA_ADD_NOTIF`, 'base64').slice(0, hashLength);

/** The hashes in a notification that names no device; none in every other one. */
export const contactHashesIn = ({ content }: BinaryNode): string[] => {
  const changes = Array.isArray(content) ? content : [];
  return changes
    .filter(({ tag, content: inside }) => tag === 'update' && !(Array.isArray(inside) && inside.length > 0))
    .map(({ attrs }) => attrs['hash'] ?? '')
    .slice(0, mostHashes);
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
