/** Receipts as steps of our messages, and the events that tell of them. */
import type { BinaryNode } from 'baileys';
import type { SessionChanges } from '../../domain/changes.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { MessageChange } from '../../domain/message.ts';
import { plainId, timeOf } from './envelope.ts';
import { type ChatRef, groupChat, isMe, type Me, type Peek, personChat, personOf } from './people.ts';
import { newEvent } from './record.ts';

type Status = 'delivered' | 'read' | 'played';

/** `inactive` comes from a linked device whose owner is away: delivered all the same. All other types are no steps. */
const statusByType: Readonly<Record<string, Status>> = {
  '': 'delivered',
  inactive: 'delivered',
  read: 'read',
  played: 'played',
};

const childrenOf = (node: BinaryNode, tag: string): readonly BinaryNode[] =>
  Array.isArray(node.content) ? node.content.filter((child) => child.tag === tag) : [];

/** All the messages that one receipt speaks of. */
const messageIdsOf = (node: BinaryNode): readonly string[] => {
  const listed = childrenOf(node, 'list').flatMap((list) => childrenOf(list, 'item').map((item) => item.attrs.id));
  const aggregated = childrenOf(node, 'participants').map((list) => list.attrs.key);
  const ids = [node.attrs.id, ...listed, ...aggregated].filter((id) => id !== undefined);
  return [...new Set(ids.map(plainId))];
};

const chatOf = (node: BinaryNode, peek: Peek): ChatRef | null => {
  const { from } = node.attrs;
  if (from === undefined) return null;
  if (from.endsWith('@g.us')) return groupChat(from);
  if (from.endsWith('@broadcast') || from.endsWith('@newsletter')) return null;
  return personChat(personOf(peek, from, node.attrs.sender_pn, node.attrs.sender_lid));
};

export const translateReceipt = (
  node: BinaryNode,
  context: {
    readonly me: Me;
    readonly peek: Peek;
    readonly now: number;
    /** True of what is no message: nobody knows its id. */
    readonly isWordless?: (id: string) => boolean;
  },
): Pick<SessionChanges, 'messageChanges' | 'events'> => {
  const status = statusByType[node.attrs.type ?? ''];
  const { me, peek, isWordless = () => false } = context;
  // Receipts of the own devices say what the account itself did.
  if (status === undefined || isMe(me, node.attrs.participant ?? node.attrs.from)) return {};
  const chat = chatOf(node, peek);
  if (chat === null) return {};
  const at = timeOf(node, context.now);
  const ids = messageIdsOf(node).filter((id) => !isWordless(id));
  const { isGroup: _, ...place } = chat;
  return {
    messageChanges: ids.map((messageId): MessageChange => ({
      messageId,
      chat: chat.chat,
      step: { state: status === 'delivered' ? 'delivered' : 'read', at },
    })),
    events: ids.map((messageId): NewEvent => ({
      ...newEvent({ type: 'message.updated', data: { messageId, ...place, update: { status } } }, at, chat.chat),
      // Without the chat: when it comes again, its other address may have become known.
      dedupeKey: ['message.updated', messageId, status].join(' '),
    })),
  };
};
