/** Applies events to the loaded messages, so that live updates need no requests. */
import type { Message, MessageState, Person } from '../api/message.ts';
import type { EventOf, HandsetEvent } from '../api/types.ts';

const steps: readonly MessageState[] = ['pending', 'accepted', 'delivered', 'read'];

/** Late receipts never move a message back to an earlier state. */
const laterState = (old: MessageState, next: MessageState | 'played'): MessageState => {
  if (next === 'failed') return 'failed';
  const state = next === 'played' ? 'read' : next;
  const found = steps.find((step) => step === state);
  return found !== undefined && steps.indexOf(found) > steps.indexOf(old) ? found : old;
};

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** A person is known by a phone number, a LID or both. */
export const isSamePerson = (one: Person, other: Person): boolean =>
  one.jid === other.jid ||
  (one.number !== null && one.number === other.number) ||
  (one.lid !== null && one.lid === other.lid);

const others = <T extends { readonly from: Person }>(all: readonly T[] | undefined, from: Person): readonly T[] =>
  (all ?? []).filter((one) => !isSamePerson(one.from, from));

const updated = (message: Message, { data: { update }, timestamp }: EventOf<'message.updated'>): Message => {
  if ('status' in update) return { ...message, state: laterState(message.state, update.status) };
  // The content of a message that arrived without it. Its state stays as known here.
  if ('message' in update) return { ...message, ...update.message, state: message.state };
  if ('order' in update) return { ...message, order: update.order };
  if ('media' in update) return { ...message, media: update.media };
  if ('labels' in update) return { ...message, labels: update.labels };
  if ('text' in update) {
    const { text, poll = message.poll, event = message.event } = update;
    return { ...message, text, poll, event, editedAt: timestamp };
  }
  if ('reaction' in update) {
    const { from, reaction } = update;
    const reactions = others(message.reactions, from);
    return { ...message, reactions: reaction === null ? reactions : [...reactions, { from, reaction, at: timestamp }] };
  }
  if ('response' in update) return { ...message, responses: [...others(message.responses, update.from), update] };
  return 'pinned' in update ? { ...message, pinned: update.pinned } : message;
};

/** Fields that entries of the log have and events lack. */
const atFirst = {
  state: 'accepted',
  acceptedAt: null,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
  deletedAt: null,
  editedAt: null,
  reactions: [],
  starred: false,
  labels: [],
  historic: false,
} as const;

/** The message of an event as the log has it; null without one. */
export const messageIn = ({ type, data }: HandsetEvent): Message | null =>
  type === 'message.sent' || type === 'message.received'
    ? { ...atFirst, ...data.message, direction: type === 'message.sent' ? 'out' : 'in' }
    : null;

const withMessage = (messages: readonly Message[], message: Message): readonly Message[] => {
  const known = messages.find(({ id, chat }) => id === message.id && chat === message.chat);
  if (known === undefined) return [message, ...messages];
  const state = laterState(known.state, message.state);
  const { acceptedAt, deliveredAt, readAt, failedAt, deletedAt, editedAt, reactions, starred, labels, historic } =
    known;
  const times = { acceptedAt, deliveredAt, readAt, failedAt, deletedAt, editedAt };
  return messages.map((one) =>
    one === known ? { ...message, ...times, reactions, starred, labels, historic, state } : one,
  );
};

/** `messages` are newest first, as the API lists them. */
export const applyToMessages = (messages: readonly Message[], event: HandsetEvent): readonly Message[] => {
  const change = (data: EventOf<'message.updated' | 'message.deleted'>['data'], to: (old: Message) => Message) =>
    messages.map((one) => (one.id === data.messageId && one.chat === data.chat ? to(one) : one));
  switch (event.type) {
    case 'message.sent':
    case 'message.received': {
      const message = messageIn(event);
      return message === null ? messages : withMessage(messages, message);
    }
    case 'message.updated':
      return change(event.data, (old) => updated(old, event));
    case 'message.deleted':
      return change(event.data, (old) => ({ ...old, deletedAt: event.timestamp, text: null }));
    default:
      return messages;
  }
};
