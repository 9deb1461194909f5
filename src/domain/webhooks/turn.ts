/** What the other side wrote since the last answer (docs/spec/webhooks.md, Settled chats). Texts are left out, so long messages cost no more. */
import type { DeviceEvent, MessageData } from '../event.ts';

/** Typing delays the end of a turn by at most this. */
const maxTypingMs = 60_000;
const maxMessages = 100;
const maxChars = 1_000_000;

/** A message of a turn, by its position in the event log. */
export interface TurnMessage {
  readonly id: string;
  readonly seq: number;
  readonly editSeq?: number;
  readonly at: number;
  readonly chars: number;
}

export interface TurnTime {
  readonly seconds: number;
  /** Null: already reported, and nothing written since. */
  readonly dueAt: number | null;
  readonly latestAt: number | null;
}

export interface Turn {
  readonly messages: readonly TurnMessage[];
  readonly times: readonly TurnTime[];
}

const over: Turn = { messages: [], times: [] };

const newest = (messages: readonly TurnMessage[]): readonly TurnMessage[] => {
  let from = messages.length;
  let room = maxChars;
  while (from > 0 && messages.length - from < maxMessages) {
    room -= messages[from - 1]!.chars;
    if (room < 0 && from < messages.length) break;
    from -= 1;
  }
  return messages.slice(from);
};

/** Restarts the given times beside those that run. */
const withMessage = (turn: Turn, seq: number, message: MessageData, now: number, wanted: ReadonlySet<number>): Turn => {
  const { id, timestamp } = message;
  const added = { id, seq, at: timestamp, chars: JSON.stringify(message).length };
  const messages = [...turn.messages.filter((each) => each.id !== id), added].sort((a, b) => a.at - b.at);
  const all = new Set([...turn.times.map(({ seconds }) => seconds), ...wanted]);
  const times = [...all].map((seconds) => {
    const dueAt = now + seconds * 1000;
    return { seconds, dueAt, latestAt: dueAt + maxTypingMs };
  });
  return { messages: newest(messages), times };
};

const withOnly = (turn: Turn, isKept: (message: TurnMessage) => boolean): Turn => {
  const messages = turn.messages.filter(isKept);
  if (messages.length === turn.messages.length) return turn;
  return messages.length === 0 ? over : { ...turn, messages };
};

/** An answer through the API ends the whole turn; one reported later by the phone ends it up to its time. */
const answered = (turn: Turn, { message, source }: Extract<DeviceEvent, { type: 'message.sent' }>['data']): Turn => {
  const at = source === 'api' ? Infinity : message.timestamp;
  return withOnly(turn, (each) => each.at > at);
};

const typed = (turn: Turn, isTyping: boolean, now: number): Turn => {
  if (turn.times.every(({ dueAt }) => dueAt === null)) return turn;
  const times = turn.times.map((time) => {
    const { seconds, dueAt, latestAt } = time;
    if (dueAt === null || latestAt === null) return time;
    return { ...time, dueAt: isTyping ? latestAt : Math.min(now + seconds * 1000, latestAt) };
  });
  return { ...turn, times };
};

const edited = (turn: Turn, editSeq: number, messageId: string, text: string | null): Turn => {
  if (!turn.messages.some(({ id }) => id === messageId)) return turn;
  const chars = JSON.stringify(text).length;
  const messages = turn.messages.map((each) =>
    each.id === messageId ? { ...each, editSeq, chars: each.chars + chars } : each,
  );
  return { ...turn, messages: newest(messages) };
};

/** Unchanged if nothing changes; without messages once over. `wanted`: the `settleSeconds` of the webhooks that follow the chat. */
export const turnAfter = (
  before: Turn | null,
  { seq, event }: { readonly seq: number; readonly event: DeviceEvent },
  now: number,
  wanted: ReadonlySet<number>,
): Turn => {
  const turn = before ?? over;
  switch (event.type) {
    case 'message.received':
      return withMessage(turn, seq, event.data.message, now, wanted);
    case 'message.sent':
      return answered(turn, event.data);
    case 'message.deleted':
      return withOnly(turn, ({ id }) => id !== event.data.messageId);
    case 'message.updated': {
      const { messageId, update } = event.data;
      return 'text' in update ? edited(turn, seq, messageId, update.text) : turn;
    }
    case 'chat.presence':
      return typed(turn, event.data.state === 'text' || event.data.state === 'voice', now);
    default:
      return turn;
  }
};

export const turnDueAt = ({ times }: Turn): number | null => {
  const due = times.map(({ dueAt }) => dueAt).filter((at) => at !== null);
  return due.length === 0 ? null : Math.min(...due);
};

export const turnKinds: ReadonlySet<DeviceEvent['type']> = new Set([
  'message.received',
  'message.sent',
  'message.deleted',
  'message.updated',
  'chat.presence',
] as const);
