/** The count of chats that a device has begun on a day, for its own ceiling (docs/spec/devices.md, Limits). Days are those of UTC. */
import type { Jid } from '../jid.ts';

export const dayMs = 86_400_000;

/** When the day after this moment begins, ms. */
export const nextDay = (now: number): number => (Math.floor(now / dayMs) + 1) * dayMs;

export interface NewChatStore {
  /**
   * True where a message to this person begins no chat, or one that still has room below `most`: it is counted then, once for each person
   * and day, over all nodes. False, and nothing is counted, where there would be more.
   */
  begin(deviceId: number, person: Jid, limit: { readonly most: number; readonly now: number }): Promise<boolean>;
  /** How many were begun on the day of this moment. */
  count(deviceId: number, now: number): Promise<number>;
}
