/** The outside of message and receipt stanzas: chat, sender, id, time, and ciphertexts. */
import type { BinaryNode } from '../../library/nodes.ts';
import { cut, maxName, timeOrNull } from './limits.ts';
import type { Person } from '../../../domain/messages/parts.ts';
import {
  type ChatRef,
  groupChat,
  isMe,
  type Me,
  myself,
  type Peek,
  personChat,
  personOf,
} from '../../identity/people.ts';
import { fieldsWithin, maxFields } from '../../signal/session-record.ts';
import type { IncomingMessage } from '../../signal/batches.ts';

export interface Envelope extends ChatRef {
  readonly id: string;
  readonly from: Person;
  /** Sent by this account, from the phone or another linked device. */
  readonly fromMe: boolean;
  readonly pushName: string | null;
  readonly at: number;
}

/** An older stanza has waited, so its time of arrival means nothing. */
const liveMs = 3_000;

/** `t` in ms. It has seconds: live stanzas get their time of arrival within that second, so that an answer does not precede its question. */
export const timeOf = (node: BinaryNode, now: number): number => {
  const at = timeOrNull(node.attrs.t);
  if (at === null) return now;
  return now > at && now - at < liveMs ? Math.min(now, at + 999) : at;
};

/** The apps write up to 32 characters. */
const longestId = 256;

/** The sender chooses ids; PostgreSQL's text type cannot hold U+0000. */
export const plainId = (id: string): string => {
  const kept = cut(id, longestId);
  return kept.includes('\0') ? kept.replaceAll('\0', '\ufffd') : kept;
};

type Position = ChatRef & { readonly from: Person; readonly fromMe: boolean };

const inGroup = (attrs: BinaryNode['attrs'], me: Me, peek: Peek): Position | null => {
  const { participant } = attrs;
  if (participant === undefined) return null;
  const fromMe = isMe(me, participant);
  const from = fromMe ? myself(me) : personOf(peek, participant, attrs.participant_pn, attrs.participant_lid);
  return { ...groupChat(attrs.from!), from, fromMe };
};

const betweenTwo = (attrs: BinaryNode['attrs'], me: Me, peek: Peek): Position => {
  if (!isMe(me, attrs.from)) {
    const from = personOf(peek, attrs.from, attrs.sender_pn, attrs.sender_lid);
    return { ...personChat(from), from, fromMe: false };
  }
  const { recipient } = attrs;
  const other =
    recipient === undefined || isMe(me, recipient)
      ? myself(me)
      : personOf(
          peek,
          recipient,
          attrs.peer_recipient_pn,
          attrs.peer_recipient_lid,
          attrs.recipient_pn,
          attrs.recipient_lid,
        );
  return { ...personChat(other), from: myself(me), fromMe: true };
};

const throughBroadcast = (attrs: BinaryNode['attrs'], me: Me, peek: Peek): Position | null => {
  // Statuses are no messages; a message to a broadcast list is in the chat with its author.
  const { participant } = attrs;
  if (attrs.from === 'status@broadcast' || participant === undefined || isMe(me, participant)) return null;
  const from = personOf(
    peek,
    participant,
    attrs.participant_pn,
    attrs.participant_lid,
    attrs.sender_pn,
    attrs.sender_lid,
  );
  return { ...personChat(from), from, fromMe: false };
};

/** `-`: the sender's device has announced no name (whatsmeow message.go, 2026-08-21). */
export const pushNameIn = ({ attrs: { notify } }: BinaryNode): string | null =>
  notify && notify !== '-' ? cut(notify, maxName) : null;

/** Null for statuses, newsletters and own broadcasts. */
export const envelopeOf = (node: BinaryNode, me: Me, peek: Peek, now: number): Envelope | null => {
  const { id, from } = node.attrs;
  if (id === undefined || from === undefined || from.endsWith('@newsletter')) return null;
  const place = from.endsWith('@g.us')
    ? inGroup(node.attrs, me, peek)
    : from.endsWith('@broadcast')
      ? throughBroadcast(node.attrs, me, peek)
      : betweenTwo(node.attrs, me, peek);
  if (place === null) return null;
  return { ...place, id: plainId(id), pushName: pushNameIn(node), at: timeOf(node, now) };
};

/** Bytes of the texts and files in a stanza. */
export const contentBytes = ({ content }: BinaryNode): number => {
  if (!Array.isArray(content)) return content?.length ?? 0;
  let sum = 0;
  for (const child of content) sum += contentBytes(child);
  return sum;
};

const plainFields: ReadonlySet<number> = new Set([
  1, // conversation
  3, // imageMessage
  4, // contactMessage
  5, // locationMessage
  6, // extendedTextMessage
  7, // documentMessage
  8, // audioMessage
  9, // videoMessage
  13, // contactsArrayMessage
  26, // stickerMessage
  35, // messageContextInfo
  46, // reactionMessage
]);

/** Only fields of ordinary messages, which change nothing else. Throws RangeError on malformed bytes. */
export const isPlain = (bytes: Uint8Array): boolean => {
  const room = { left: maxFields };
  for (const { number } of fieldsWithin(bytes, room)) if (!plainFields.has(number)) return false;
  return room.left >= 0;
};

/** The ciphertext of a stanza with exactly one, and without a substitute for it. */
export const plainEncOf = ({ content }: BinaryNode): Pick<IncomingMessage, 'type' | 'ciphertext'> | null => {
  if (!Array.isArray(content)) return null;
  let only: BinaryNode | null = null;
  for (const child of content) {
    const { tag } = child;
    if (tag === 'plaintext' || tag === 'unavailable' || (tag === 'enc' && only !== null)) return null;
    if (tag === 'enc') only = child;
  }
  const type = only?.attrs.type;
  if (!(only?.content instanceof Uint8Array) || (type !== 'pkmsg' && type !== 'msg' && type !== 'skmsg')) return null;
  return { type, ciphertext: only.content };
};

const staleAfter = 86_400;

/** Not answered after this time: the message may have been edited or deleted since (Evolution API #2707, 2026). */
const isStale = ({ attrs }: BinaryNode, now: number): boolean => {
  const seconds = Number(attrs.t);
  return seconds > 0 && now / 1000 - seconds > staleAfter;
};

export const isAnswered = (node: BinaryNode, now: number): boolean =>
  node.attrs.type === 'retry' && !isStale(node, now);

export interface Place {
  readonly author: string;
  readonly isGroup: boolean;
  readonly fromMe: boolean;
}

export const receiptOf = ({ attrs }: BinaryNode, { author, isGroup, fromMe }: Place, isOnline: boolean): BinaryNode => {
  const { id = '', from = '', category, participant, recipient } = attrs;
  const tag = 'receipt';
  if (category === 'peer') return { tag, attrs: { id, to: from, type: 'peer_msg' } };
  if (fromMe && !isGroup) return { tag, attrs: { id, recipient: recipient ?? from, to: author, type: 'sender' } };
  const type = fromMe ? { type: 'sender' } : isOnline ? {} : { type: 'inactive' };
  return { tag, attrs: { id, to: from, ...(participant === undefined ? {} : { participant }), ...type } };
};
