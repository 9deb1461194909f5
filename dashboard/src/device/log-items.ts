/** Rows of the log of a conversation: messages, a line for each day, and lines where the timer of the chat changes. */
import type { Message, MessageType, Person } from '../api/message.ts';
import type { HandsetEvent } from '../api/types.ts';
import { isSameDay } from '../base/format.ts';

/** A new timer, as an event reports it. */
export interface TimerChange {
  readonly chat: string;
  readonly at: string;
  readonly expiresInSeconds: number | null;
  readonly from: Person;
}

export const timerIn = ({ type, timestamp, data }: HandsetEvent): TimerChange | null =>
  type === 'message.updated' && 'expiresInSeconds' in data.update
    ? { chat: data.chat, at: timestamp, ...data.update }
    : null;

type Timer = Pick<TimerChange, 'expiresInSeconds'> & Partial<Pick<TimerChange, 'from'>>;

export type LogItem =
  | { readonly kind: 'day'; readonly key: string; readonly at: string }
  | { readonly kind: 'timer'; readonly key: string; readonly timer: Timer }
  | { readonly kind: 'message'; readonly key: string; readonly message: Message };

/** Kinds that always carry the timer of their chat. */
const carriers: readonly MessageType[] = ['text', 'image', 'video', 'audio', 'document'];

/** Sent messages may lack the chat's timer; received ones have it. */
const changes = ({ direction, type, expiresInSeconds }: Message, timer: number | null): boolean =>
  direction === 'in' && expiresInSeconds !== timer && (expiresInSeconds !== null || carriers.includes(type));

/** Both are oldest first. */
export const itemsOf = (messages: readonly Message[], timers: readonly TimerChange[]): readonly LogItem[] => {
  const items: LogItem[] = [];
  const waiting = [...timers];
  let timer: number | null = null;
  let last: string | null = null;
  const note = (key: string, change: Timer): void => {
    if (change.expiresInSeconds === timer) return;
    timer = change.expiresInSeconds;
    items.push({ kind: 'timer', key, timer: change });
  };
  const noteUntil = (at: string): void => {
    for (let next = waiting[0]; next !== undefined && next.at <= at; next = waiting[0]) {
      note(`timer-${next.at}`, next);
      waiting.shift();
    }
  };
  for (const message of messages) {
    noteUntil(message.timestamp);
    const isNewDay = last === null || !isSameDay(last, message.timestamp);
    if (isNewDay) items.push({ kind: 'day', key: `day-${message.id}`, at: message.timestamp });
    last = message.timestamp;
    if (changes(message, timer)) note(`timer-${message.id}`, { expiresInSeconds: message.expiresInSeconds });
    items.push({ kind: 'message', key: message.id, message });
  }
  noteUntil('9');
  return items;
};
