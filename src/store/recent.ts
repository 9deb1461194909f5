/** The newest events that wait for a webhook, as they were written: their first claim need not read and open them. */
import type { StoredEvent } from '../domain/event.ts';

export interface Fresh {
  readonly event: StoredEvent;
  readonly orderKey: string;
}

export interface Recent {
  /** While it is being written. Has no effect before `keep`. */
  note(event: StoredEvent, orderKey: string): void;
  /** After the commit. */
  keep(events: readonly StoredEvent[]): void;
  find(eventId: string): Fresh | undefined;
  drop(eventIds: readonly string[]): void;
}

/** Some hundred bytes each. */
const most = 2_000;
/** What nobody has claimed by then waits for something else. */
const staleMs = 30_000;

export const makeRecent = (): Recent => {
  const orderKeys = new WeakMap<StoredEvent, string>();
  const kept = new Map<string, Fresh & { readonly since: number }>();
  /** When there is no room the older ones stay, for theirs is the next turn, unless it never seems to come. */
  const hasRoom = (): boolean => {
    if (kept.size < most) return true;
    const [oldest] = kept;
    if (oldest === undefined || performance.now() - oldest[1].since < staleMs) return false;
    return kept.delete(oldest[0]);
  };
  return {
    note: (event, orderKey) => void orderKeys.set(event, orderKey),
    keep(events) {
      for (const committed of events) {
        const orderKey = orderKeys.get(committed);
        if (orderKey === undefined || !hasRoom()) continue;
        const { id, deviceId, at, event } = committed;
        kept.set(id, { event: { id, deviceId, at, event }, orderKey, since: performance.now() });
      }
    },
    find(eventId) {
      const fresh = kept.get(eventId);
      return fresh === undefined ? undefined : { event: fresh.event, orderKey: fresh.orderKey };
    },
    drop(eventIds) {
      for (const id of eventIds) kept.delete(id);
    },
  };
};

/** Where others claim and record, too, only the database knows. */
export const noRecent: Recent = { note: () => {}, keep: () => {}, find: () => undefined, drop: () => {} };
