/** Ports to the store, all implemented by `store/` on SQLite and PostgreSQL. Times are ms since the epoch. */
import type { AppStateStore } from './app-state.ts';
import type { Actor, AuditAction, AuditDetail, AuditEntry, AuditSubject } from './audit.ts';
import type { KeyName, SessionChanges } from './changes.ts';
import type { Chat } from './chats/chat.ts';
import type { Contact } from './chats/contact.ts';
import type { RevisionStore } from './client-version.ts';
import type { Attempt, AttemptResult, Delivery, DeliveryState, DueDelivery, Recovery } from './delivery.ts';
import type { DevicePatch, DeviceRecord, NewDevice } from './device.ts';
import type { AnyKind, CommittedEvent, StoredEvent } from './event.ts';
import type { HandsetError } from '../errors.ts';
import type { KeptGroup } from './groups/group.ts';
import type { LookUpStore } from './chats/look-ups.ts';
import type { NewChatStore } from './chats/new-chats.ts';
import type { SuppressionStore } from './chats/suppressions.ts';
import type { Jid } from './jid.ts';
import type { ClusterStore } from './lease.ts';
import type { MessageRecord } from './message.ts';
import type { IdempotencyStore } from './messages/idempotency.ts';
import type { KeptMediaStore } from './messages/kept-media.ts';
import type { MessageFilter } from './messages/search.ts';
import type { AnnotationKind, Kept } from './messages/annotation.ts';
import type { UserStore } from './user.ts';
import type { UsageStore } from './usage.ts';
import type { WebhookStore } from './webhooks/webhook.ts';

export interface Page<T> {
  readonly items: readonly T[];
  /** Opaque; null at the end. */
  readonly nextCursor: string | null;
}

/** A page ends at its limit or at this many stored bytes, but has at least one item. */
export const maxPageBytes = 4 * 1_048_576;

export interface PageRequest {
  /** 1 to 1000. */
  readonly limit: number;
  readonly cursor: string | null;
  /** Default: `maxPageBytes`. */
  readonly bytes?: number;
}

/** A search in sealed rows. */
interface Searching {
  /** Aborted when nobody waits for the result. */
  readonly signal?: AbortSignal | undefined;
}

export interface DeviceStore {
  /** Creates the device in one transaction if the user has fewer active ones than allowed. Throws DeviceLimitReached. */
  create(device: NewDevice, now: number, by?: Actor): Promise<DeviceRecord>;
  find(id: number): Promise<DeviceRecord | null>;
  /** Existing ones of these, in one query. */
  findMany(ids: readonly number[]): Promise<readonly DeviceRecord[]>;
  /** Null if there is no such device. */
  ownerOf(id: number): Promise<number | null>;
  /** Ordered by id. `userId` null: devices of all users. */
  list(userId: number | null, page: PageRequest): Promise<Page<DeviceRecord>>;
  /** Throws DeviceNotFound, and DeviceLimitReached if it becomes active above the limit. */
  update(id: number, patch: DevicePatch, by?: Actor): Promise<DeviceRecord>;
  /** Removes everything: credentials, keys, messages, events, deliveries, webhooks, idempotency records. */
  delete(id: number, by?: Actor): Promise<void>;
  countActive(userId: number): Promise<number>;
}

/** The authentication state of sessions. Written through `SessionChanges`: `credentials`, `keys`, `inbox`. */
export interface CredentialStore {
  loadCredentials(deviceId: number): Promise<Uint8Array | null>;
  /** Existing values by id. */
  readKeys(deviceId: number, type: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** A few keys of several types at once; null for missing ones. */
  readTogether(deviceId: number, keys: readonly KeyName[]): Promise<readonly (Uint8Array | null)[]>;
  /** All keys with their ids, for moving the device. */
  listKeys(
    deviceId: number,
  ): Promise<readonly { readonly type: string; readonly id: string; readonly value: Uint8Array }[]>;
  readInbox(deviceId: number, key: string): Promise<Uint8Array | null>;
}

export interface ChangeStore {
  /**
   * Writes everything of one protocol step in a durable transaction; returns the events written, without duplicates. `epoch` of the
   * session's lease: required for authentication state if nodes share the database, and refused with LeaseLost if another node has taken
   * the device.
   */
  commit(deviceId: number, changes: SessionChanges, epoch?: number | null): Promise<readonly StoredEvent[]>;
  /** Deletes credentials, keys and inbox (after a logout), and keeps messages and events. `changes` are written in the same transaction. */
  clearCredentials(deviceId: number, changes: SessionChanges, epoch?: number | null): Promise<readonly StoredEvent[]>;
}

/** The part used by a session, which does not see the written events. */
export interface SessionCredentials extends Pick<
  CredentialStore,
  'loadCredentials' | 'readKeys' | 'readTogether' | 'readInbox'
> {
  commit(deviceId: number, changes: SessionChanges, epoch?: number | null): Promise<unknown>;
  clearCredentials(deviceId: number, changes: SessionChanges, epoch?: number | null): Promise<unknown>;
}

export interface MessagePage extends Page<MessageRecord> {
  /** The search has covered messages from this time on; null: all of them, or no search. */
  readonly searchedSince: number | null;
}

export interface MessageStore {
  /** `patient`: for a session, which waits up to a minute for a database on another machine. */
  find(deviceId: number, messageId: string, chat?: Jid, patient?: boolean): Promise<MessageRecord | null>;
  /** The oldest message of a chat accepted by the network, or null. */
  oldest(deviceId: number, chat: Jid): Promise<MessageRecord | null>;
  /** Newest first. A filtered page may have fewer items than its limit although more follow. */
  list(deviceId: number, page: PageRequest & MessageFilter & Searching & { readonly chat?: Jid }): Promise<MessagePage>;
  /** Annotations of these messages, in their order. */
  annotations(
    deviceId: number,
    messages: readonly Pick<MessageRecord, 'id' | 'chat' | 'chatLid'>[],
    kinds: readonly AnnotationKind[],
  ): Promise<readonly (readonly Kept[])[]>;
}

/** Stored groups of a device, written through `SessionChanges.groups`. `list`: those the account is in, without communities. */
export interface GroupStore {
  find(deviceId: number, group: Jid): Promise<KeptGroup | null>;
  list(deviceId: number, page: PageRequest): Promise<Page<KeptGroup>>;
  all(deviceId: number): Promise<readonly KeptGroup[]>;
}

export interface ChatFilter extends PageRequest, Searching {
  /** True: only with unread messages; false: only without. */
  readonly unread?: boolean;
  readonly archived?: boolean;
  /** Part of a name or number. */
  readonly q?: string;
}

/** Written through `SessionChanges`: `messages`, `appState`, `chats`. Chats are named by a JID of either address, or a group. */
export interface ChatStore {
  find(deviceId: number, name: Jid): Promise<Chat | null>;
  /** Newest activity first. With `q` a page may have fewer items than its limit although more follow. */
  list(deviceId: number, filter: ChatFilter): Promise<Page<Chat>>;
}

/** Written through `SessionChanges`: `appState`, `contacts`. */
export interface ContactStore {
  find(deviceId: number, name: Jid): Promise<Contact | null>;
  /** Unordered, as names are sealed. With `q` a page may have fewer items than its limit although more follow. */
  list(deviceId: number, filter: PageRequest & Searching & { readonly q?: string }): Promise<Page<Contact>>;
}

export interface EventStore {
  find(deviceId: number, eventId: string): Promise<StoredEvent | null>;
  /** Oldest first, after the cursor's event or from the start of the log; of these kinds, or of all. */
  listAfter(deviceId: number, page: PageRequest, kinds?: readonly AnyKind[]): Promise<Page<StoredEvent>>;
  /** Newest first, before the cursor's event or from the end of the log. */
  listBefore(deviceId: number, page: PageRequest, kinds: readonly AnyKind[]): Promise<Page<StoredEvent>>;
  /**
   * Throws InvalidRequest, calling the id `member`, if nothing can be read after it: an event of another device, one ahead of the log, or
   * one lost by a restored backup.
   */
  assertPosition(deviceId: number, after: string, member?: string): Promise<void>;
  latestId(deviceId: number): Promise<string | null>;
}

/** The queue of webhook deliveries. `webhookId` defaults to the device's primary webhook. */
export interface Outbox {
  /**
   * Claims up to `limit` due deliveries until `leaseUntil`: the oldest pending one of each (device, webhook, orderKey), in order. Skips
   * webhooks in `exceptWebhooks` and disabled ones.
   */
  claim(request: {
    readonly now: number;
    readonly leaseUntil: number;
    readonly limit: number;
    readonly exceptWebhooks: readonly number[];
    readonly exceptUsers?: readonly number[];
    /** How many of a webhook may be claimed once this claim has `taken` ones; by default a fixed number. */
    readonly roomOf?: (
      owner: Pick<DueDelivery, 'webhookId' | 'userId'>,
      taken: readonly Pick<DueDelivery, 'webhookId' | 'userId'>[],
    ) => number;
  }): Promise<readonly DueDelivery[]>;
  /** Records attempts, many in one transaction, with the health of their webhooks. Returns those that have recovered. */
  record(results: readonly AttemptResult[]): Promise<readonly Recovery[]>;
  /**
   * Makes the head of each chat due that waits for its next attempt; returns their number. `untried`: only those without an early attempt
   * since they were last due.
   */
  bringForward(webhookId: number, now: number, untried?: boolean): Promise<number>;
  /** The backlog, for the operator: exact up to `atMost` deliveries, and a lower bound above. */
  depth(atMost: number): Promise<{ readonly pending: number; readonly oldestAt: number | null }>;
  nextDueAt(): Promise<number | null>;
  /** Newest first. `deviceId` null: of all devices, for an account-wide webhook. */
  list(
    deviceId: number | null,
    page: PageRequest & { readonly state?: DeliveryState },
    webhookId?: number,
  ): Promise<Page<Delivery>>;
  find(deviceId: number, deliveryId: string): Promise<Delivery | null>;
  /** Newest first; null if there is no such delivery. `deviceId` null: of any device. */
  attempts(
    deviceId: number | null,
    deliveryId: string,
    page: PageRequest,
    webhookId?: number,
  ): Promise<Page<Attempt> | null>;
  /** Makes a delivery pending and due now; null if it does not exist. */
  retry(deviceId: number | null, deliveryId: string, now: number, webhookId?: number): Promise<Delivery | null>;
  /** Makes all deliveries that failed since then pending and due now; returns their number. */
  retryFailed(deviceId: number | null, since: number | null, now: number, webhookId?: number): Promise<number>;
}

/**
 * The audit log. Every port that changes a user, key, device or webhook writes its entry in the transaction of the change (`by`: who
 * requested it; the service by default).
 */
export interface AuditStore {
  /** An entry about something that no port changes. */
  append(by: Actor, action: AuditAction, subject: AuditSubject, detail?: AuditDetail): Promise<void>;
  /** Newest first. */
  list(page: PageRequest): Promise<Page<AuditEntry>>;
}

/** Deletes expired data in small steps; returns the number of rows. Undelivered events stay. */
export interface Retention {
  prune(before: {
    readonly events: number;
    readonly messages: number;
    readonly inbox: number;
    readonly idempotency: number;
  }): Promise<number>;
  /** Returns some freed space to the disk; true if there is more. */
  shrink(): Promise<boolean>;
}

export interface Stores {
  readonly devices: DeviceStore;
  readonly changes: ChangeStore;
  readonly credentials: CredentialStore;
  readonly messages: MessageStore;
  readonly keptMedia: KeptMediaStore;
  readonly appState: AppStateStore;
  readonly groups: GroupStore;
  readonly chats: ChatStore;
  readonly contacts: ContactStore;
  readonly lookUps: LookUpStore;
  readonly newChats: NewChatStore;
  readonly suppressions: SuppressionStore;
  readonly usage: UsageStore;
  readonly events: EventStore;
  readonly idempotency: IdempotencyStore;
  readonly outbox: Outbox;
  readonly webhooks: WebhookStore;
  readonly users: UserStore;
  readonly retention: Retention;
  readonly audit: AuditStore;
  readonly clientRevisions: RevisionStore;
  /** Null if one process has the database to itself. */
  readonly cluster: ClusterStore | null;
  /**
   * Called after each commit with its events, in log order; with none if events of other nodes may have been missed. Returns a function to
   * unsubscribe.
   */
  onEvents(listener: (events: readonly CommittedEvent[]) => void): () => void;
  /** True if the database accepts writes. */
  ping(): Promise<boolean>;
  /** Called with Unavailable once the database has been away for some seconds. Returns a function to unsubscribe. Null if it cannot be away. */
  readonly onAway: ((listener: (error: HandsetError) => void) => () => void) | null;
  close(): Promise<void>;
}
