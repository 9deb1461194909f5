/** People's addresses: in JIDs, in pairs within stanzas, and which of them are the account itself. */
import type { BinaryNode } from '../library/nodes.ts';
import { type Jid, jidKind, jidUser, type Addresses } from '../../domain/jid.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import { jidNormalizedUser } from '../library/jid.ts';
import type { Person } from '../../domain/messages/parts.ts';

export interface LidPair {
  readonly phoneUser: string;
  readonly lidUser: string;
}

/** An address attribute, and those that may hold the other address. */
const together: readonly (readonly [string, ...string[]])[] = [
  ['from', 'sender_pn', 'sender_lid', 'lid'],
  ['participant', 'participant_pn', 'participant_lid'],
  ['recipient', 'peer_recipient_pn', 'peer_recipient_lid', 'recipient_pn', 'recipient_lid'],
  ['jid', 'phone_number', 'pn_jid', 'lid'],
  ['creator', 'creator_pn', 'creator_lid'],
  ['s_o', 's_o_pn', 's_o_lid'],
];

/** A group describes at most 1,024 members; further addresses are queried when needed. */
const maxNodes = 4_096;
const maxDepth = 6;

// Sources: whatsmeow message.go parseMessageSource, group.go parseParticipant, notification.go (2026-08-21); whatsapp-rust
// stanza/groups.rs (2026-08).
export const pairOf = (one: string, other: string): LidPair | null => {
  const [first, second]: [Jid, Jid] = [plainJid(one), plainJid(other)];
  const [lid, phone] = jidKind(first) === 'lid' ? [first, second] : [second, first];
  if (jidKind(lid) !== 'lid' || jidKind(phone) !== 'phone') return null;
  const [lidUser, phoneUser] = [jidUser(lid), jidUser(phone)];
  return lidUser && phoneUser ? { lidUser, phoneUser } : null;
};

const none: readonly LidPair[] = [];

export const pairsInAttributes = ({ attrs }: BinaryNode): readonly LidPair[] => {
  let pairs = none;
  for (const [one, ...others] of together) {
    const first = attrs[one];
    if (!first) continue;
    for (const other of others) {
      const second = attrs[other];
      const pair = second ? pairOf(first, second) : null;
      if (pair !== null) pairs = [...pairs, pair];
    }
  }
  return pairs;
};

const contradicted = (pairs: readonly LidPair[], of: keyof LidPair, by: keyof LidPair): ReadonlySet<string> => {
  const told = new Map<string, string>();
  const doubtful = new Set<string>();
  for (const pair of pairs) {
    if ((told.get(pair[of]) ?? pair[by]) !== pair[by]) doubtful.add(pair[of]);
    told.set(pair[of], pair[by]);
  }
  return doubtful;
};

/** Phone users paired with several LIDs in one description, so that their owner is unknown. */
export const numbersInDoubt = (pairs: readonly LidPair[]): ReadonlySet<string> =>
  contradicted(pairs, 'phoneUser', 'lidUser');

/** A stanza and its children. */
export const nodesIn = (node: BinaryNode, depth = 0, nodes: BinaryNode[] = []): readonly BinaryNode[] => {
  if (nodes.length === maxNodes) return nodes;
  nodes.push(node);
  if (depth < maxDepth && Array.isArray(node.content))
    for (const child of node.content) nodesIn(child, depth + 1, nodes);
  return nodes;
};

/** Pairs in a stanza and its children, without contradictory ones. */
export const pairsTold = (node: BinaryNode): readonly LidPair[] => {
  const pairs: LidPair[] = [];
  for (const each of nodesIn(node)) pairs.push(...pairsInAttributes(each));
  if (pairs.length < 2) return pairs;
  const phones = numbersInDoubt(pairs);
  const lids = contradicted(pairs, 'lidUser', 'phoneUser');
  const told = new Map<string, LidPair>();
  for (const pair of pairs) if (!phones.has(pair.phoneUser) && !lids.has(pair.lidUser)) told.set(pair.phoneUser, pair);
  return [...told.values()];
};

export interface Known extends Addresses {
  /** Absent if there is none, or it is unknown. */
  readonly username?: string;
}

export type Peek = (jid: Jid) => Known;

export interface Me {
  readonly phone: Jid;
  readonly lid: Jid | null;
}

const isPlain = /^\d+@(?:s\.whatsapp\.net|lid)$/;

/** A JID as in the domain: no device, hosted devices under their account's server. */
export const plainJid = (jid: string): Jid => {
  if (isPlain.test(jid)) return jid;
  const user = jidNormalizedUser(jid);
  if (user.endsWith('@hosted')) return user.replace(/@hosted$/, '@s.whatsapp.net');
  if (user.endsWith('@hosted.lid')) return user.replace(/@hosted\.lid$/, '@lid');
  return user;
};

/** Keyed by the object of the credentials, which is replaced on changes. */
const ofAccounts = new WeakMap<object, Me>();

export const meOf = ({ me }: AuthenticationCreds): Me => {
  if (me === undefined) throw new Error('No account is linked');
  let found = ofAccounts.get(me);
  if (found === undefined) {
    found = { phone: plainJid(me.id), lid: me.lid ? plainJid(me.lid) : null };
    ofAccounts.set(me, found);
  }
  return found;
};

/** From all that a stanza tells of a person, and what is known. Named by the phone JID if known, else by the LID, else by any address. */
export const personOf = (peek: Peek, ...told: readonly (string | null | undefined)[]): Person => {
  let phone: Jid | null = null;
  let lid: Jid | null = null;
  for (const jid of told) {
    if (!jid) continue;
    const plain = plainJid(jid);
    const kind = jidKind(plain);
    if (kind === 'phone') phone ??= plain;
    if (kind === 'lid') lid ??= plain;
  }
  for (const jid of told) {
    if (phone !== null && lid !== null) break;
    if (!jid) continue;
    const known = peek(plainJid(jid));
    phone ??= known.phone;
    lid ??= known.lid;
  }
  const person = {
    jid: phone ?? lid ?? plainJid(told.find((jid) => Boolean(jid)) ?? ''),
    number: phone === null ? null : jidUser(phone),
    lid,
  };
  const username = lid === null ? undefined : peek(lid).username;
  return username === undefined ? person : { ...person, username };
};

const mention = /@(\d{5,20})(?!\d)/g;

export const withNames = (text: string, names: ReadonlyMap<string, string>): string =>
  names.size === 0
    ? text
    : text.replaceAll(mention, (whole, digits: string) => {
        const name = names.get(digits);
        return name === undefined ? whole : `@${name}`;
      });

export const myself = (me: Me): Person => ({ jid: me.phone, number: jidUser(me.phone), lid: me.lid });

export const isMe = (me: Me, jid: string | undefined): boolean => {
  if (jid === undefined) return false;
  const plain = plainJid(jid);
  return plain === me.phone || plain === me.lid;
};

export const isOtherPerson = (me: Me, jid = ''): boolean => {
  const kind = jidKind(plainJid(jid));
  return (kind === 'phone' || kind === 'lid') && !isMe(me, jid);
};

export interface ChatRef {
  readonly chat: Jid;
  readonly chatNumber: string | null;
  readonly chatLid: Jid | null;
  readonly isGroup: boolean;
}

export const groupChat = (jid: string): ChatRef => ({ chat: jid, chatNumber: null, chatLid: null, isGroup: true });

export const personChat = (person: Person): ChatRef => ({
  chat: person.jid,
  chatNumber: person.number,
  chatLid: person.lid,
  isGroup: false,
});

export const maxReaders = 1_024;

export const jidsIn = (node: BinaryNode): readonly Jid[] => {
  const { from, participant, recipient } = node.attrs;
  const jids: Jid[] = [];
  if (from !== undefined) jids.push(plainJid(from));
  if (participant !== undefined) jids.push(plainJid(participant));
  if (recipient !== undefined) jids.push(plainJid(recipient));
  if (node.tag !== 'receipt' || !Array.isArray(node.content)) return jids;
  for (const { tag, content } of node.content) {
    if (tag !== 'participants' || !Array.isArray(content) || jids.length >= maxReaders) continue;
    for (const { attrs } of content.slice(0, maxReaders)) if (attrs.jid !== undefined) jids.push(plainJid(attrs.jid));
  }
  return jids;
};
