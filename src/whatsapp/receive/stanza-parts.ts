/** Reads the parts of message and receipt stanzas that are outside of their ciphertexts. */
import type { BinaryNode } from '../engine/nodes.ts';
import type { KeyChange } from '../../domain/changes.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import type { IncomingMessage } from '../signal/decrypt-batch.ts';
import { jidKind, jidUser } from '../../domain/jid.ts';
import { plainJid } from '../translate/people.ts';

/** Pairs of attributes by which a stanza tells both addresses of one person. */
const toldTogether = [
  ['from', 'sender_pn'],
  ['from', 'sender_lid'],
  ['participant', 'participant_pn'],
  ['participant', 'participant_lid'],
  ['recipient', 'peer_recipient_pn'],
  ['recipient', 'peer_recipient_lid'],
  ['recipient', 'recipient_pn'],
  ['recipient', 'recipient_lid'],
] as const;

const nothingNew: readonly KeyChange[] = [];

export const learned = ({ attrs }: BinaryNode, mapping: LidMapping): readonly KeyChange[] => {
  let changes = nothingNew;
  for (const [one, other] of toldTogether) {
    const [first, second] = [attrs[one], attrs[other]];
    if (!first || !second) continue;
    const jids = [plainJid(first), plainJid(second)] as const;
    const [lid, phone] = jidKind(jids[0]) === 'lid' ? jids : [jids[1], jids[0]];
    const more =
      jidKind(lid) === 'lid' && jidKind(phone) === 'phone'
        ? mapping.pairs.changesFor({ lidUser: jidUser(lid), phoneUser: jidUser(phone) })
        : [];
    if (more.length > 0) changes = [...changes, ...more];
  }
  return changes;
};

export const ciphertextsOf = (node: BinaryNode): readonly Uint8Array[] =>
  Array.isArray(node.content)
    ? node.content.flatMap(({ tag, content }) => (tag === 'enc' && content instanceof Uint8Array ? [content] : []))
    : [];

/** Fields of ordinary messages, for which Baileys keeps no state. */
export const plainFields: ReadonlySet<string> = new Set([
  'conversation',
  'extendedTextMessage',
  'imageMessage',
  'videoMessage',
  'audioMessage',
  'documentMessage',
  'stickerMessage',
  'locationMessage',
  'contactMessage',
  'contactsArrayMessage',
  'reactionMessage',
  'messageContextInfo',
]);

/** The ciphertext of a stanza with one, for this device and not for a group, and nothing beside it that takes its place. */
export const plainEncOf = ({ content }: BinaryNode): Omit<IncomingMessage, 'jid'> | null => {
  if (!Array.isArray(content)) return null;
  let only: BinaryNode | null = null;
  for (const child of content) {
    const { tag } = child;
    if (tag === 'plaintext' || tag === 'unavailable' || (tag === 'enc' && only !== null)) return null;
    if (tag === 'enc') only = child;
  }
  const type = only?.attrs.type;
  if (!(only?.content instanceof Uint8Array) || (type !== 'pkmsg' && type !== 'msg')) return null;
  return { type, ciphertext: only.content };
};

/** A day, in seconds. */
const staleAfter = 86_400;

/**
 * A retry receipt that has waited longer than this is not answered: what is sent again after days may have been edited or
 * deleted meanwhile (Evolution API #2707, Baileys #2820, 2026).
 */
const isStale = ({ attrs }: BinaryNode, now: number): boolean => {
  const seconds = Number(attrs.t);
  return seconds > 0 && now / 1000 - seconds > staleAfter;
};

/** A retry receipt, by which the message is to be sent once more. */
export const isAnswered = (node: BinaryNode, now: number): boolean =>
  node.attrs.type === 'retry' && !isStale(node, now);

/** A plain message, with the stanza that it came in. */
export interface PlainMessage extends IncomingMessage {
  readonly stanza: BinaryNode;
}
