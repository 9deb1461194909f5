/** Facts about a device that outlive a connection, of bounded size. */
import { Mutex } from 'async-mutex';
import type { FoundUsername } from '../../domain/chats/conversation.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { Jid } from '../../domain/jid.ts';
import type { UnreadCounts } from '../../domain/network.ts';
import { type KnownLimits, unknownLimits } from '../send/account-limits.ts';
import { type BoundedCache, boundedCache, type Portion, portionOf } from '../library/bounded-cache.ts';
import { type DeviceEntry, type DeviceListCache, deviceListsLiveMs } from '../identity/addressing.ts';
import type { RetryAnswer } from '../media/retry.ts';

export interface DeviceMemory {
  readonly userDevices: DeviceListCache;
  readonly groups: BoundedCache<KeptGroup>;
  /** The last `phash` mismatch of each chat with its devices, so that each is acted on once (`server-ack.ts`). */
  readonly objections: BoundedCache<string>;
  /** Accounts by phone number; null: none. */
  readonly accounts: BoundedCache<Jid | null>;
  readonly usernames: BoundedCache<FoundUsername>;
  /** Held while acceptances of messages are written. */
  readonly acceptance: Mutex;
  /** Chats of messages whose acceptance is written, by `acceptedKey`. */
  readonly accepted: Portion<Jid>;
  /** Retry receipts that were answered (`send/resends.ts`). */
  readonly resent: Portion<true>;
  /** Ids of edits, revokes and reactions made on the phone. */
  readonly wordless: Portion<true>;
  /** When the phone was last asked for a dropped file, and its answer (`media/reuploads.ts`). */
  readonly reuploads: BoundedCache<Reupload>;
  /** Restrictions on the account, and when the network was last asked. */
  readonly limits: KnownLimits;
  /** Messages of all devices stored without being read. */
  readonly unread: UnreadCounts;
  /** Call before another account may be linked. */
  forget(): void;
}

export interface Reupload {
  /** Time of the request, ms. */
  readonly at: number;
  readonly answer: RetryAnswer | null;
}

/** Short-lived facts in caches shared by all devices, so that idle devices use none. */
export interface SharedMemory {
  readonly accepted: BoundedCache<Jid>;
  readonly resent: BoundedCache<true>;
  readonly wordless: BoundedCache<true>;
  readonly unread: UnreadCounts;
}

/** More than can be in flight at a time, with their receipts. */
export const makeSharedMemory = (): SharedMemory => ({
  accepted: boundedCache(20_000),
  resent: boundedCache(5_000),
  wordless: boundedCache(5_000),
  unread: { slow: 0, stuck: 0 },
});

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** `owner` identifies the device in the shared caches. */
export const makeDeviceMemory = (owner = '', shared = makeSharedMemory()): DeviceMemory => {
  const userDevices = boundedCache<readonly DeviceEntry[]>(2_000, deviceListsLiveMs);
  const groups = boundedCache<KeptGroup>(100, hourMs);
  const objections = boundedCache<string>(200, hourMs);
  const reuploads = boundedCache<Reupload>(500);
  const limits = unknownLimits();
  const accounts = boundedCache<Jid | null>(2_000, 7 * dayMs);
  const usernames = boundedCache<FoundUsername>(500, dayMs);
  return {
    userDevices,
    groups,
    objections,
    accounts,
    usernames,
    reuploads,
    limits,
    acceptance: new Mutex(),
    accepted: portionOf(shared.accepted, owner),
    resent: portionOf(shared.resent, owner),
    wordless: portionOf(shared.wordless, owner),
    unread: shared.unread,
    forget() {
      userDevices.clear();
      groups.clear();
      objections.clear();
      accounts.clear();
      usernames.clear();
      reuploads.clear();
      Object.assign(limits, unknownLimits());
    },
  };
};
