/** Count of chats started by a device per day (UTC), for its limit (docs/spec/devices.md, Limits). */
import type { Jid } from '../jid.ts';

export const dayMs = 86_400_000;

/** Start of the next day, ms. */
export const nextDay = (now: number): number => (Math.floor(now / dayMs) + 1) * dayMs;

export interface NewChatStore {
  /**
   * True if a message to this person starts no chat, or one within the limit: it is then counted, once per person and day over all nodes.
   * Returns false, and counts nothing, if that would exceed the limit.
   */
  begin(deviceId: number, person: Jid, limit: { readonly most: number; readonly now: number }): Promise<boolean>;
  /** Chats started on this day. */
  count(deviceId: number, now: number): Promise<number>;
}
