/** Applies events to the loaded messages, so that live updates need no requests. */
import type { EventAnswer, Message, MessageState, Person, PlannedEvent, Poll } from '../api/message.ts';
import type { HandsetEvent } from '../api/types.ts';

const steps: readonly MessageState[] = ['pending', 'accepted', 'delivered', 'read'];

/** Late receipts never move a message back to an earlier state. */
const laterState = (old: MessageState, next: unknown): MessageState => {
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

/** `update` of an event, as the API defines it. */
interface Update {
  readonly status?: string;
  readonly message?: Partial<Message>;
  readonly media?: Message['media'];
  readonly text?: string | null;
  readonly poll?: Poll;
  readonly event?: PlannedEvent;
  readonly reaction?: string | null;
  readonly response?: EventAnswer;
  readonly guests?: number;
  readonly pinned?: boolean;
  readonly from?: Person;
}

const byPerson = (message: Message, from: Person, { reaction, response, guests = 0, pinned }: Update): Message => {
  if (reaction !== undefined) {
    const reactions = others(message.reactions, from);
    return { ...message, reactions: reaction === null ? reactions : [...reactions, { from, reaction }] };
  }
  if (response !== undefined) {
    return { ...message, responses: [...others(message.responses, from), { from, response, guests }] };
  }
  return pinned === undefined ? message : { ...message, pinned };
};

const edited = (message: Message, { text, poll, event }: Update, at: string): Message => ({
  ...message,
  text: text ?? null,
  poll: poll ?? message.poll,
  event: event ?? message.event,
  editedAt: at,
});

const updated = (message: Message, { data, timestamp }: HandsetEvent): Message => {
  if (!isRecord(data.update)) return message;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the event data as defined by the API
  const update = data.update as Update;
  if (update.status !== undefined) return { ...message, state: laterState(message.state, update.status) };
  // The content of a message that arrived without it. Its state stays as known here.
  if (update.message !== undefined) return { ...message, ...update.message, state: message.state };
  if (update.media !== undefined) return { ...message, media: update.media };
  if (update.text !== undefined) return edited(message, update, timestamp);
  return update.from === undefined ? message : byPerson(message, update.from, update);
};

/** Fields that entries of the log have and events lack. */
const atFirst = {
  state: 'accepted',
  failedAt: null,
  deletedAt: null,
  editedAt: null,
  reactions: [],
  starred: false,
} as const;

/** The message of an event as the log has it; null without one. */
export const messageIn = ({ type, data }: HandsetEvent): Message | null => {
  const { message } = data;
  if ((type !== 'message.sent' && type !== 'message.received') || !isRecord(message)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the event data as defined by the API
  return { ...atFirst, ...(message as unknown as Message), direction: type === 'message.sent' ? 'out' : 'in' };
};

const withMessage = (messages: readonly Message[], message: Message): readonly Message[] => {
  const known = messages.find(({ id, chat }) => id === message.id && chat === message.chat);
  if (known === undefined) return [message, ...messages];
  const state = laterState(known.state, message.state);
  const { failedAt, deletedAt, editedAt, reactions, starred } = known;
  return messages.map((one) =>
    one === known ? { ...message, failedAt, deletedAt, editedAt, reactions, starred, state } : one,
  );
};

/** `messages` are newest first, as the API lists them. */
export const applyToMessages = (messages: readonly Message[], event: HandsetEvent): readonly Message[] => {
  const { type, data } = event;
  const matches = ({ id, chat }: Message): boolean => id === data.messageId && chat === data.chat;
  switch (type) {
    case 'message.sent':
    case 'message.received': {
      const message = messageIn(event);
      return message === null ? messages : withMessage(messages, message);
    }
    case 'message.updated':
      return messages.map((one) => (matches(one) ? updated(one, event) : one));
    case 'message.deleted':
      return messages.map((one) => (matches(one) ? { ...one, deletedAt: event.timestamp, text: null } : one));
    default:
      return messages;
  }
};
