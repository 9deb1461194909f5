/**
 * Usernames in stanzas. Attributes: zapo (2026-08-19), whatsapp-rust #1381 (2026-09-01, after WhatsApp Web). The name is
 * next to an address, except in stanzas of own devices, where `username` is the account's own. A missing attribute means nothing.
 */
import { type BinaryNode, getBinaryNodeChild } from '../library/nodes.ts';
import { mexData } from '../socket/mex.ts';
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import { usernameIn } from '../../domain/chats/usernames.ts';
import { type Peek, plainJid } from './people.ts';

export interface ToldUsername {
  readonly lidUser: string;
  readonly username: string | null;
  /** ms. */
  readonly at: number;
}

const places: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['from', 'sender_lid', 'lid'], ['username']],
  [['participant', 'participant_lid'], ['participant_username']],
  [
    ['recipient', 'peer_recipient_lid', 'recipient_lid'],
    ['peer_recipient_username', 'recipient_username'],
  ],
  [
    ['jid', 'lid'],
    ['username', 'participant_username', 'requestor_username'],
  ],
  [['creator', 'creator_lid'], ['creator_username']],
  [['s_o', 's_o_lid'], ['s_o_username']],
  [['call-creator', 'caller_lid'], ['username']],
];

const maxNodes = 4_096;
const maxDepth = 6;

const lidIn = (attrs: BinaryNode['attrs'], addresses: readonly string[], peek: Peek): Jid | null => {
  const told = addresses.flatMap((name) => attrs[name] ?? []).map(plainJid);
  const lid = told.find((jid) => jidKind(jid) === 'lid');
  if (lid !== undefined) return lid;
  const phone = told.find((jid) => jidKind(jid) === 'phone');
  return phone === undefined ? null : peek(phone).lid;
};

type Found = Omit<ToldUsername, 'at'>;

const inAttributes = ({ attrs }: BinaryNode, peek: Peek): readonly Found[] => {
  const found: Found[] = [];
  for (const [addresses, names] of places) {
    for (const name of names) {
      const username = attrs[name] === undefined ? null : usernameIn(attrs[name]);
      const lid = username === null ? null : lidIn(attrs, addresses, peek);
      if (lid !== null) found.push({ lidUser: jidUser(lid), username });
    }
  }
  return found;
};

const collect = (
  node: BinaryNode,
  depth: number,
  peek: Peek,
  into: { readonly found: Found[]; left: number },
): void => {
  into.left -= 1;
  if (into.left < 0) return;
  into.found.push(...inAttributes(node, peek));
  if (depth < maxDepth && Array.isArray(node.content))
    for (const child of node.content) collect(child, depth + 1, peek, into);
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
  if (node.tag === 'message' && !tellsUsername(node)) return nothing;
  const into = { found: [], left: maxNodes };
  collect(node, node.tag === 'message' ? maxDepth : 0, peek, into);
  const found: readonly Found[] = into.found;
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
