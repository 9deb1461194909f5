/** Count of chats started by a device per day (UTC), for its limit (docs/spec/devices.md, Limits). */
import type { Jid } from '../jid.ts';

export const dayMs = 86_400_000;

export const nextDay = (now: number): number => (Math.floor(now / dayMs) + 1) * dayMs;

export interface NewChatStore {
  /** Counts a new chat once per person and day, over all nodes. False, counting nothing, above the limit. */
  begin(deviceId: number, person: Jid, limit: { readonly max: number; readonly now: number }): Promise<boolean>;
  count(deviceId: number, now: number): Promise<number>;
}
