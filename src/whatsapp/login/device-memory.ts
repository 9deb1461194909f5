/** Facts about a device that outlive a connection, in bounded space. */
import { Mutex } from 'async-mutex';
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { Jid } from '../../domain/jid.ts';
import type { UnreadCounts } from '../../domain/network.ts';
import { type KnownLimits, unknownLimits } from '../send/account-limits.ts';
import { type BoundedCache, boundedCache, type Portion, portionOf } from '../engine/bounded-cache.ts';
import { type DeviceEntry, type DeviceListCache, deviceListsLiveMs } from '../identity/addressing.ts';
import type { RetryAnswer } from '../media/retry.ts';

export interface DeviceMemory {
  /** The devices of the people written to (`addressing.ts`). */
  readonly userDevices: DeviceListCache;
  /** Groups as the store has them (`groups/keeper.ts`). */
  readonly groups: BoundedCache<KeptGroup>;
  /** The last `phash` mismatch of each chat with its devices, so that each is acted on once (`server-ack.ts`). */
  readonly objections: BoundedCache<string>;
  /** Accounts by phone number; null: nobody has it. */
  readonly accounts: BoundedCache<Jid | null>;
  /** Held while acceptances of messages are written. */
  readonly acceptance: Mutex;
  /** The chats of messages whose acceptance is written, by `acceptedKey`. */
  readonly accepted: Portion<Jid>;
  /** Ids of edits, revokes and reactions that were made on the phone. */
  readonly wordless: Portion<true>;
  /** When the phone was last asked for a file that the media host has dropped, and its answer (`media-reuploads.ts`). */
  readonly reuploads: BoundedCache<Reupload>;
  /** Restrictions on the account, and when the network was last asked for them. */
  readonly limits: KnownLimits;
  /** Messages that were stored without being read, of all devices. */
  readonly unread: UnreadCounts;
  /** Before another account may be linked. */
  forget(): void;
}

export interface Reupload {
  /** When it was asked for, ms. */
  readonly at: number;
  readonly answer: RetryAnswer | null;
}

/** Short-lived facts in caches that all devices share, so that quiet devices keep none. */
export interface SharedMemory {
  readonly accepted: BoundedCache<Jid>;
  readonly wordless: BoundedCache<true>;
  readonly unread: UnreadCounts;
}

/** More than can be on their way at a time, with their receipts. */
export const makeSharedMemory = (): SharedMemory => ({
  accepted: boundedCache(20_000),
  wordless: boundedCache(5_000),
  unread: { slow: 0, stuck: 0 },
});

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** `owner` separates the device from the others in the shared caches. */
export const makeDeviceMemory = (owner = '', shared = makeSharedMemory()): DeviceMemory => {
  const userDevices = boundedCache<readonly DeviceEntry[]>(2_000, deviceListsLiveMs);
  const groups = boundedCache<KeptGroup>(100, hourMs);
  const objections = boundedCache<string>(200, hourMs);
  const reuploads = boundedCache<Reupload>(500);
  const limits = unknownLimits();
  const accounts = boundedCache<Jid | null>(2_000, 7 * dayMs);
  return {
    userDevices,
    groups,
    objections,
    accounts,
    reuploads,
    limits,
    acceptance: new Mutex(),
    accepted: portionOf(shared.accepted, owner),
    wordless: portionOf(shared.wordless, owner),
    unread: shared.unread,
    forget() {
      userDevices.clear();
      groups.clear();
      objections.clear();
      accounts.clear();
      reuploads.clear();
      Object.assign(limits, unknownLimits());
    },
  };
};
