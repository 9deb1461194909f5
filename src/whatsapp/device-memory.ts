/** What is worth keeping of a device from one connection to the next, in bounded space. */
import type { CacheStore, GroupMetadata } from 'baileys';
import type { Jid } from '../domain/jid.ts';
import { BoundedCache, engineCache } from './bounded-cache.ts';
import type { EarlyReceipts } from './early-receipts.ts';
import { type Locks, makeLocks } from './signal/locks.ts';

export interface DeviceMemory {
  /**
   * The devices of the people written to. Long-lived, because each refresh makes a new Signal session with each of
   * them; device notifications, which wait for us while we are away, keep it right.
   */
  readonly userDevices: CacheStore;
  readonly groups: BoundedCache<GroupMetadata>;
  /** Accounts by phone number; null: nobody has it. */
  readonly accounts: BoundedCache<Jid | null>;
  /** Messages of ours, by id: whoever writes that one is accepted holds its lock. */
  readonly acceptance: Locks;
  /** Those of which that is written. */
  readonly accepted: BoundedCache<true>;
  /** Receipts of messages that are not here yet. */
  readonly early: EarlyReceipts;
  /** Before another account may be linked. */
  forget(): void;
}

const dayMs = 86_400_000;

export const makeDeviceMemory = (): DeviceMemory => {
  const userDevices = engineCache(2_000, 7 * dayMs);
  const groups = new BoundedCache<GroupMetadata>(200, dayMs);
  const accounts = new BoundedCache<Jid | null>(2_000, 7 * dayMs);
  return {
    userDevices,
    groups,
    accounts,
    acceptance: makeLocks(),
    accepted: new BoundedCache<true>(1_000),
    early: new BoundedCache(200),
    forget() {
      void userDevices.flushAll();
      groups.flushAll();
      accounts.flushAll();
    },
  };
};
