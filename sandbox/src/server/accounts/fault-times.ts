/** Restrictions start when their fault is set. */
import type { Account } from '../../base/types.ts';
import type { Clock } from '../../base/clock.ts';
import type { Faults } from '../state/faults.ts';

export interface AccountLimits {
  ban: number;
  timeLock: number;
  cap: { readonly from: number; readonly until: number };
  readonly begun: Map<Account, number>;
}

export const noLimits = (): AccountLimits => ({ ban: 0, timeLock: 0, cap: { from: 0, until: 0 }, begun: new Map() });

const newer = <T>(next: T | null, before: T | null): next is T => next !== null && next !== before;

/** Starts limits whose fault was set. True if linked devices are banned from now on. */
export const beginLimits = (
  hub: { readonly limits: AccountLimits; readonly clock: Clock },
  next: Faults,
  before: Faults,
): boolean => {
  const { limits, clock } = hub;
  const now = clock.now();
  if (newer(next.timeLock, before.timeLock)) limits.timeLock = now + next.timeLock.seconds * 1000;
  if (newer(next.newChatCap, before.newChatCap)) {
    limits.cap = { from: now, until: now + next.newChatCap.seconds * 1000 };
    limits.begun.clear();
  }
  if (!newer(next.temporaryBan, before.temporaryBan)) return false;
  limits.ban = now + next.temporaryBan.seconds * 1000;
  return true;
};
