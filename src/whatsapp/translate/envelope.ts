/** The outside of a message stanza: chat, sender, id and time, without its encrypted content. */
import type { BinaryNode } from '../engine/nodes.ts';
import type { Person } from '../../domain/messages/parts.ts';
import { type ChatRef, groupChat, isMe, type Me, myself, type Peek, personChat, personOf } from './people.ts';

export interface Envelope extends ChatRef {
  readonly id: string;
  readonly from: Person;
  /** Written by this account, on the phone or on another linked device. */
  readonly fromMe: boolean;
  readonly pushName: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Older than this it has waited somewhere, and the time of its arrival tells nothing. */
const liveMs = 3_000;

/**
 * `t` of a stanza, in ms; `now` where the network left it out. The network counts in seconds: what comes live has the time
 * of its arrival, as far as it is within that second, so that an answer does not seem older than the question.
 */
export const timeOf = (node: BinaryNode, now: number): number => {
  const seconds = Number(node.attrs.t);
  if (!Number.isFinite(seconds) || seconds <= 0) return now;
  const at = seconds * 1000;
  return now > at && now - at < liveMs ? Math.min(now, at + 999) : at;
};

/** Ids are the writer's choice; no text of PostgreSQL has U+0000. */
export const plainId = (id: string): string => (id.includes('\0') ? id.replaceAll('\0', '\ufffd') : id);

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
  // A status is no message to anybody; a message to a broadcast list arrives in the chat with its author.
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

/** `-` stands for a sender whose device has announced no name (whatsmeow message.go, 2026-08-21). */
const pushNameIn = ({ attrs: { notify } }: BinaryNode): string | null => (notify && notify !== '-' ? notify : null);

/** Null for what is no message of a chat: statuses, newsletters, own broadcasts. */
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
