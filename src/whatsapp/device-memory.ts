/** What is worth keeping of a device from one connection to the next, in bounded space. */
import type { CacheStore, GroupMetadata } from 'baileys';
import type { Jid } from '../domain/jid.ts';
import type { MessageChange } from '../domain/message.ts';
import { BoundedCache, engineCache, type Portion, portionOf } from './bounded-cache.ts';
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
  readonly accepted: Portion<true>;
  /** Receipts of messages that are not here yet. */
  readonly early: EarlyReceipts;
  /** What was written on the phone and is no message, by id: an edit, a revoke, a reaction. */
  readonly wordless: Portion<true>;
  /** Before another account may be linked. */
  forget(): void;
}

/** What is of use for moments only: a device that is quiet keeps none of it, and many devices keep no more than few. */
export interface SharedMemory {
  readonly accepted: BoundedCache<true>;
  readonly early: BoundedCache<readonly MessageChange[]>;
  readonly wordless: BoundedCache<true>;
}

/** More than can be on their way at a time, with their receipts. */
export const makeSharedMemory = (): SharedMemory => ({
  accepted: new BoundedCache(20_000),
  early: new BoundedCache(5_000),
  wordless: new BoundedCache(5_000),
});

const dayMs = 86_400_000;

/** `owner` tells it from the other devices that share. */
export const makeDeviceMemory = (owner = '', shared = makeSharedMemory()): DeviceMemory => {
  const userDevices = engineCache(2_000, 7 * dayMs);
  const groups = new BoundedCache<GroupMetadata>(200, dayMs);
  const accounts = new BoundedCache<Jid | null>(2_000, 7 * dayMs);
  return {
    userDevices,
    groups,
    accounts,
    acceptance: makeLocks(),
    accepted: portionOf(shared.accepted, owner),
    early: portionOf(shared.early, owner),
    wordless: portionOf(shared.wordless, owner),
    forget() {
      void userDevices.flushAll();
      groups.flushAll();
      accounts.flushAll();
    },
  };
};
