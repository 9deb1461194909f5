/** Turns of a chat: what the other side has written since the last answer (`chat.settled`; docs/spec/webhooks.md, Settled chats). */
import type { DeviceEvent, MessageData } from '../event.ts';

/** Typing puts off the end of a turn for this long at most. */
const longestTypingMs = 60_000;
/** Messages that are kept of a turn: the newest. */
const mostMessages = 100;

export interface Turn {
  /** In the order in which they were written. */
  readonly messages: readonly MessageData[];
  /** When it counts as settled; null: it was told, and nothing was written since. */
  readonly dueAt: number | null;
  /** The latest time to which typing may put it off. */
  readonly latestAt: number | null;
}

const told: Turn = { messages: [], dueAt: null, latestAt: null };

const withMessage = (turn: Turn, message: MessageData, now: number, settleMs: number): Turn => {
  const messages = [...turn.messages.filter(({ id }) => id !== message.id), message];
  messages.sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
  const dueAt = now + settleMs;
  return { messages: messages.slice(-mostMessages), dueAt, latestAt: dueAt + longestTypingMs };
};

/** A text from here ends it whole; one that the phone reports later than it was written, up to its time. */
const answered = (turn: Turn, sent: Extract<DeviceEvent, { type: 'message.sent' }>['data']): Turn => {
  const at = Date.parse(sent.message.timestamp);
  const messages = sent.source === 'api' ? [] : turn.messages.filter(({ timestamp }) => Date.parse(timestamp) > at);
  return messages.length === 0 ? told : { ...turn, messages };
};

const typed = (turn: Turn, isTyping: boolean, now: number, settleMs: number): Turn => {
  const { dueAt, latestAt } = turn;
  if (dueAt === null || latestAt === null) return turn;
  return { ...turn, dueAt: isTyping ? latestAt : Math.min(now + settleMs, latestAt) };
};

const without = (turn: Turn, messageId: string): Turn => {
  const messages = turn.messages.filter(({ id }) => id !== messageId);
  return messages.length === 0 ? told : { ...turn, messages };
};

/** The turn after an event of its chat; without messages, it is over. */
export const turnAfter = (before: Turn | null, event: DeviceEvent, now: number, settleMs: number): Turn => {
  const turn = before ?? told;
  switch (event.type) {
    case 'message.received':
      return withMessage(turn, event.data.message, now, settleMs);
    case 'message.sent':
      return answered(turn, event.data);
    case 'message.deleted':
      return without(turn, event.data.messageId);
    case 'message.updated': {
      const { messageId, update } = event.data;
      if (!('text' in update)) return turn;
      const messages = turn.messages.map((each) => (each.id === messageId ? { ...each, text: update.text } : each));
      return { ...turn, messages };
    }
    case 'chat.presence':
      return typed(turn, event.data.state === 'text' || event.data.state === 'voice', now, settleMs);
    default:
      return turn;
  }
};

/** Kinds that change a turn. */
export const turnKinds: ReadonlySet<DeviceEvent['type']> = new Set([
  'message.received',
  'message.sent',
  'message.deleted',
  'message.updated',
  'chat.presence',
] as const);
