/**
 * Pairs of phone number and LID as stanzas tell them: two attributes of one node that name one person.
 *
 * Sources: whatsmeow message.go parseMessageSource, group.go parseParticipant and notification.go (2026-08-21); whatsapp-rust stanza/groups.rs (2026-08).
 */
import type { BinaryNode } from '../engine/nodes.ts';
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import { plainJid } from './people.ts';
import type { LidPair } from '../signal/lid-inquiry.ts';

/** An address, and the attributes that may have the other one. */
const together: readonly (readonly [string, ...string[]])[] = [
  ['from', 'sender_pn', 'sender_lid', 'lid'],
  ['participant', 'participant_pn', 'participant_lid'],
  ['recipient', 'peer_recipient_pn', 'peer_recipient_lid', 'recipient_pn', 'recipient_lid'],
  ['jid', 'phone_number', 'pn_jid', 'lid'],
  ['creator', 'creator_pn', 'creator_lid'],
  ['s_o', 's_o_pn', 's_o_lid'],
];

/** A group describes at most 1,024 members; what is beyond this is asked for when it is needed. */
const maxNodes = 4_096;
const maxDepth = 6;

const pairOf = (one: string, other: string): LidPair | null => {
  const [first, second]: Jid[] = [plainJid(one), plainJid(other)];
  const [lid, phone] = jidKind(first!) === 'lid' ? [first!, second!] : [second!, first!];
  if (jidKind(lid) !== 'lid' || jidKind(phone) !== 'phone') return null;
  return { lidUser: jidUser(lid), phoneUser: jidUser(phone) };
};

const none: readonly LidPair[] = [];

/** The pairs in the attributes of one node. */
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

/** The values of `of` that are told with more than one `by`. */
const contradicted = (pairs: readonly LidPair[], of: keyof LidPair, by: keyof LidPair): ReadonlySet<string> => {
  const told = new Map<string, string>();
  const doubtful = new Set<string>();
  for (const pair of pairs) {
    if ((told.get(pair[of]) ?? pair[by]) !== pair[by]) doubtful.add(pair[of]);
    told.set(pair[of], pair[by]);
  }
  return doubtful;
};

/** Phone users that one description gives to several LIDs: whose they are it does not say. */
export const numbersInDoubt = (pairs: readonly LidPair[]): ReadonlySet<string> =>
  contradicted(pairs, 'phoneUser', 'lidUser');

const collect = (node: BinaryNode, depth: number, into: { readonly pairs: LidPair[]; left: number }): void => {
  into.left -= 1;
  if (into.left < 0) return;
  into.pairs.push(...pairsInAttributes(node));
  if (depth < maxDepth && Array.isArray(node.content))
    for (const child of node.content) collect(child, depth + 1, into);
};

/** The pairs in a stanza and its children, without those that contradict each other. */
export const pairsTold = (node: BinaryNode): readonly LidPair[] => {
  const found = { pairs: [], left: maxNodes };
  collect(node, 0, found);
  const pairs: readonly LidPair[] = found.pairs;
  if (pairs.length < 2) return pairs;
  const phones = numbersInDoubt(pairs);
  const lids = contradicted(pairs, 'lidUser', 'phoneUser');
  const told = new Map<string, LidPair>();
  for (const pair of pairs) if (!phones.has(pair.phoneUser) && !lids.has(pair.lidUser)) told.set(pair.phoneUser, pair);
  return [...told.values()];
};
