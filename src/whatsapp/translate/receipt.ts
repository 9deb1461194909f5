/** Receipts as steps of sent messages. */
import type { BinaryNode } from '../library/nodes.ts';
import type { ChatChange } from '../../domain/chats/chat.ts';
import type { Receipt } from '../../domain/changes.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import type { Annotation } from '../../domain/messages/annotation.ts';
import { plainId, timeOf } from './parts/envelope.ts';
import {
  type ChatRef,
  groupChat,
  isMe,
  maxReaders,
  type Me,
  type Peek,
  personChat,
  personOf,
} from '../identity/people.ts';

type Status = Receipt['status'];

/** `inactive`: from a linked device whose owner is away; still means delivered. Other types are no steps. */
const statusByType: Readonly<Record<string, Status>> = {
  '': 'delivered',
  inactive: 'delivered',
  read: 'read',
  played: 'played',
};

const childrenOf = (node: BinaryNode, tag: string): readonly BinaryNode[] =>
  Array.isArray(node.content) ? node.content.filter((child) => child.tag === tag) : [];

/** More ids than the apps put into a receipt; limits a sender that invents ids. */
export const maxIds = 512;
const readersIn = (node: BinaryNode): readonly { readonly id: string; readonly user: BinaryNode }[] =>
  childrenOf(node, 'participants')
    .flatMap((list) => childrenOf(list, 'user').map((user) => ({ id: plainId(list.attrs.key ?? ''), user })))
    .slice(0, maxReaders);

const messageIdsOf = (node: BinaryNode): readonly string[] => {
  if (!Array.isArray(node.content)) return node.attrs.id === undefined ? [] : [plainId(node.attrs.id)];
  const listed = childrenOf(node, 'list').flatMap((list) => childrenOf(list, 'item').map((item) => item.attrs.id));
  const aggregated = childrenOf(node, 'participants').map((list) => list.attrs.key);
  const ids = [node.attrs.id, ...listed, ...aggregated].filter((id) => id !== undefined);
  return [...new Set(ids.slice(0, maxIds).map(plainId))];
};

const chatOf = (node: BinaryNode, peek: Peek): ChatRef | null => {
  const { from } = node.attrs;
  if (from === undefined) return null;
  if (from.endsWith('@g.us')) return groupChat(from);
  if (from.endsWith('@broadcast') || from.endsWith('@newsletter')) return null;
  return personChat(personOf(peek, from, node.attrs.sender_pn, node.attrs.sender_lid));
};

export interface ReceiptStep extends Receipt {
  readonly chat: Jid;
}

/** `read-self`: read while the account sends no read receipts (whatsmeow types/presence.go, 2026-08-21). */
const ownReads: ReadonlySet<string> = new Set(['read', 'read-self', 'played', 'played-self']);

/** Messages read on another device of the account; null for any other receipt. */
export const readElsewhere = (
  node: BinaryNode,
  { me, peek }: { readonly me: Me; readonly peek: Peek },
): ChatChange | null => {
  const { from, participant, recipient, type = '' } = node.attrs;
  if (!ownReads.has(type) || !isMe(me, participant ?? from)) return null;
  const isGroup = from?.endsWith('@g.us') === true;
  if (!isGroup && (recipient === undefined || isMe(me, recipient))) return null;
  const { peer_recipient_pn: phone, peer_recipient_lid: lid } = node.attrs;
  const { chat, chatLid } = isGroup ? groupChat(from) : personChat(personOf(peek, recipient, phone, lid));
  return { chat, chatLid, read: messageIdsOf(node) };
};

export const translateReceipt = (
  node: BinaryNode,
  context: {
    readonly me: Me;
    readonly peek: Peek;
    readonly now: number;
    /** Ids of changes, which callers do not know. */
    readonly wordless?: { get(id: string): true | undefined };
  },
): readonly ReceiptStep[] => {
  const status = statusByType[node.attrs.type ?? ''];
  const { me, peek, wordless } = context;
  const { from, participant } = node.attrs;
  // Receipts of own devices are about what the account itself did.
  if (status === undefined || isMe(me, participant ?? from)) return [];
  const chat = chatOf(node, peek);
  if (chat === null) return [];
  const at = timeOf(node, context.now);
  const { isGroup, ...place } = chat;
  const reader = isGroup && participant !== undefined ? personOf(peek, participant, node.attrs.participant_pn) : null;
  const step = { state: status === 'delivered' ? 'delivered' : 'read', at } as const;
  if (isGroup && participant === undefined) {
    const together = readersIn(node).filter(
      ({ id, user }) => wordless?.get(id) === undefined && !isMe(me, user.attrs.jid),
    );
    if (together.length > 0) {
      return together.map(({ id: messageId, user }) => {
        const told = { state: step.state, at: timeOf(user, at) };
        return { messageId, chat: chat.chat, step: told, status, place, reader: personOf(peek, user.attrs.jid) };
      });
    }
  }
  const steps: ReceiptStep[] = [];
  for (const messageId of messageIdsOf(node)) {
    if (wordless?.get(messageId) === undefined) steps.push({ messageId, chat: chat.chat, step, status, place, reader });
  }
  return steps;
};

/** In a group each person's receipt is stored; in other chats the message has its state, except for `played`. */
export const annotationsOf = (
  { messageId, status, place, reader, step }: ReceiptStep,
  stored: Jid,
): readonly Annotation[] => {
  if (reader === null && (status !== 'played' || jidKind(place.chat) === 'group')) return [];
  const from = reader ?? { jid: place.chat, number: place.chatNumber, lid: place.chatLid };
  return [{ messageId, chat: stored, chatLid: null, from, at: step.at, deed: { kind: status } }];
};
