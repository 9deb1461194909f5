/** Session changes put together, and what is nothing. */
import type { SessionChanges } from '../../domain/changes.ts';
import { messageOf } from '../../errors.ts';

export const joined = (one: SessionChanges, other: SessionChanges): SessionChanges => ({
  ...one,
  keys: [...(one.keys ?? []), ...(other.keys ?? [])],
  messageChanges: [...(one.messageChanges ?? []), ...(other.messageChanges ?? [])],
  events: [...(one.events ?? []), ...(other.events ?? [])],
});

/** The bridge's words for a message key that was used already. */
export const isReplay = (error: unknown): boolean => /old counter|duplicate/i.test(messageOf(error));
/** A message of no fields, with its padding. */
export const emptyMessage = Uint8Array.of(1);

export const isEmpty = ({ keys, messages, messageChanges, events }: SessionChanges): boolean =>
  [keys, messages, messageChanges, events].every((list) => list === undefined || list.length === 0);
