/** The ports to the store. `store/` implements them all on SQLite and PostgreSQL. Times are ms since the epoch. */
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

/** A page ends at its limit, or at so many bytes of what is stored, but has one item at least. */
export const maxPageBytes = 4 * 1_048_576;

export interface PageRequest {
  /** 1 to 1000. */
  readonly limit: number;
  readonly cursor: string | null;
  /** `maxPageBytes` if left out. */
  readonly bytes?: number;
}

/** A search in sealed rows. */
interface Searching {
  /** Aborted when nobody waits for the outcome any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface DeviceStore {
  /** Creates it while fewer than the user's limit are active, in one transaction. Throws DeviceLimitReached. */
  create(device: NewDevice, now: number, by?: Actor): Promise<DeviceRecord>;
  find(id: number): Promise<DeviceRecord | null>;
  /** Those that exist, by one question. */
  findMany(ids: readonly number[]): Promise<readonly DeviceRecord[]>;
  /** The id of its user; null when there is no such device. */
  ownerOf(id: number): Promise<number | null>;
  /** Ordered by id. `userId` null: all users' (the supervisor). */
  list(userId: number | null, page: PageRequest): Promise<Page<DeviceRecord>>;
  /** Throws DeviceNotFound; DeviceLimitReached when it becomes active and the limit is full. */
  update(id: number, patch: DevicePatch, by?: Actor): Promise<DeviceRecord>;
  /** Removes every trace: credentials, keys, messages, events, deliveries, webhook, idempotency. */
  delete(id: number, by?: Actor): Promise<void>;
  countActive(userId: number): Promise<number>;
}

export interface CredentialStore {
  loadCredentials(deviceId: number): Promise<Uint8Array | null>;
  /** The values that exist, by id. */
  readKeys(deviceId: number, type: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Keys of several types, few of them, at once; null for those that do not exist. */
  readTogether(deviceId: number, keys: readonly KeyName[]): Promise<readonly (Uint8Array | null)[]>;
  /**
   * Everything of one protocol step in one durable transaction; resolves with the events it wrote (duplicates left out).
   * `epoch`: of the lease that the session has; needed for authentication state where nodes share the database, and
   * refused with LeaseLost when another node has the device by now.
   */
  commit(deviceId: number, changes: SessionChanges, epoch?: number | null): Promise<readonly StoredEvent[]>;
  /** All keys, with their ids, for moving the device. */
  listKeys(
    deviceId: number,
  ): Promise<readonly { readonly type: string; readonly id: string; readonly value: Uint8Array }[]>;
  /** The plaintext kept under an inbox key, or null. */
  readInbox(deviceId: number, key: string): Promise<Uint8Array | null>;
  /** Deletes credentials, keys and inbox (after a logout); keeps messages and events. `changes` go in the same transaction. */
  clearCredentials(deviceId: number, changes: SessionChanges, epoch?: number | null): Promise<readonly StoredEvent[]>;
}

/** The part that a session needs: it learns that its changes are written, and not as which events. */
export interface SessionCredentials extends Pick<
  CredentialStore,
  'loadCredentials' | 'readKeys' | 'readTogether' | 'readInbox'
> {
  commit(deviceId: number, changes: SessionChanges, epoch?: number | null): Promise<unknown>;
  clearCredentials(deviceId: number, changes: SessionChanges, epoch?: number | null): Promise<unknown>;
}

export interface MessagePage extends Page<MessageRecord> {
  /** A search has looked at all messages from this time on, and not yet at earlier ones; null: at all, or it is none. */
  readonly searchedSince: number | null;
}

export interface MessageStore {
  /** `patient`: a session waits for it, and stays while a database on another machine is away for a minute. */
  find(deviceId: number, messageId: string, chat?: Jid, patient?: boolean): Promise<MessageRecord | null>;
  /** The oldest message of a chat that the network has taken; null where there is none. */
  oldest(deviceId: number, chat: Jid): Promise<MessageRecord | null>;
  /** Newest first. With a filter a page may have fewer than its limit, and more follow. */
  list(deviceId: number, page: PageRequest & MessageFilter & Searching & { readonly chat?: Jid }): Promise<MessagePage>;
  /** The annotations of each of these messages, in their order. */
  annotations(
    deviceId: number,
    messages: readonly Pick<MessageRecord, 'id' | 'chat' | 'chatLid'>[],
    kinds: readonly AnnotationKind[],
  ): Promise<readonly (readonly Kept[])[]>;
}

/** Groups as the device keeps them, written through `SessionChanges.groups`. `list`: those that the account is in, without communities. */
export interface GroupStore {
  find(deviceId: number, group: Jid): Promise<KeptGroup | null>;
  list(deviceId: number, page: PageRequest): Promise<Page<KeptGroup>>;
  all(deviceId: number): Promise<readonly KeptGroup[]>;
}

export interface ChatFilter extends PageRequest, Searching {
  /** Those with unread messages; false: the others. */
  readonly unread?: boolean;
  readonly archived?: boolean;
  /** Part of a name or number. */
  readonly q?: string;
}

/** Written through `SessionChanges`: `messages`, `appState`, `chats`. A name is a JID of either address, or a group. */
export interface ChatStore {
  find(deviceId: number, name: Jid): Promise<Chat | null>;
  /** Newest activity first. With `q` a page may have fewer than its limit, and more follow. */
  list(deviceId: number, filter: ChatFilter): Promise<Page<Chat>>;
}

/** Written through `SessionChanges`: `appState`, `contacts`. */
export interface ContactStore {
  find(deviceId: number, name: Jid): Promise<Contact | null>;
  /** In no order that means anything: names are sealed. With `q` a page may have fewer than its limit, and more follow. */
  list(deviceId: number, filter: PageRequest & Searching & { readonly q?: string }): Promise<Page<Contact>>;
}

export interface EventStore {
  find(deviceId: number, eventId: string): Promise<StoredEvent | null>;
  /** Oldest first, after the event that is the cursor (exclusive), or from the start of the log; of these kinds, or of all. */
  listAfter(deviceId: number, page: PageRequest, kinds?: readonly AnyKind[]): Promise<Page<StoredEvent>>;
  /** Newest first, before the event that is the cursor (exclusive), or from the end of the log. */
  listBefore(deviceId: number, page: PageRequest, kinds: readonly AnyKind[]): Promise<Page<StoredEvent>>;
  /**
   * Throws InvalidRequest, in which the id is called `member`, for an id after which nothing can be read: of another device, ahead of the log, or
   * of events that the log has lost (a restored backup).
   */
  assertPosition(deviceId: number, after: string, member?: string): Promise<void>;
  /** The newest event's id, or null. */
  latestId(deviceId: number): Promise<string | null>;
}

/** The queue of webhook deliveries. `webhookId` left out: of the device's primary webhook. */
export interface Outbox {
  /**
   * Claims up to `limit` due deliveries until `leaseUntil`: the oldest pending one of each (device, webhook, orderKey), in order.
   * Webhooks in `exceptWebhooks` and those that are disabled are left out.
   */
  claim(request: {
    readonly now: number;
    readonly leaseUntil: number;
    readonly limit: number;
    readonly exceptWebhooks: readonly number[];
    /** Users whose webhooks are left out. */
    readonly exceptUsers?: readonly number[];
    /** How many of a webhook may be taken when this claim has taken `taken` already; without it, a fixed number. */
    readonly roomOf?: (
      owner: Pick<DueDelivery, 'webhookId' | 'userId'>,
      taken: readonly Pick<DueDelivery, 'webhookId' | 'userId'>[],
    ) => number;
  }): Promise<readonly DueDelivery[]>;
  /** Records attempts, many in one transaction, and the health of the webhooks with them. Resolves with those that have recovered. */
  record(results: readonly AttemptResult[]): Promise<readonly Recovery[]>;
  /**
   * Makes due what waits for its next attempt at a webhook, the head of each chat; how many. `untried`: only what was not tried before its
   * time since it was last due.
   */
  bringForward(webhookId: number, now: number, untried?: boolean): Promise<number>;
  /** The backlog, for the operator: exact up to `atMost` deliveries, and a lower bound beyond. */
  depth(atMost: number): Promise<{ readonly pending: number; readonly oldestAt: number | null }>;
  /** When the next pending delivery is due, or null. */
  nextDueAt(): Promise<number | null>;
  /** Newest first. `deviceId` null: of all devices, of an account-wide webhook. */
  list(
    deviceId: number | null,
    page: PageRequest & { readonly state?: DeliveryState },
    webhookId?: number,
  ): Promise<Page<Delivery>>;
  find(deviceId: number, deliveryId: string): Promise<Delivery | null>;
  /** Newest first; null when there is no such delivery. `deviceId` null: of any device. */
  attempts(
    deviceId: number | null,
    deliveryId: string,
    page: PageRequest,
    webhookId?: number,
  ): Promise<Page<Attempt> | null>;
  /** Makes one delivery pending and due now; null when it does not exist. */
  retry(deviceId: number | null, deliveryId: string, now: number, webhookId?: number): Promise<Delivery | null>;
  /** Makes all failed ones since a time pending and due now; how many. */
  retryFailed(deviceId: number | null, since: number | null, now: number, webhookId?: number): Promise<number>;
}

/**
 * The log of who changed what. Every port that changes a user, key, device or webhook writes its entry in the transaction of
 * the change (`by`: who asked for it; the service itself when left out).
 */
export interface AuditStore {
  /** An entry about something that no port changes. */
  append(by: Actor, action: AuditAction, subject: AuditSubject, detail?: AuditDetail): Promise<void>;
  /** Newest first. */
  list(page: PageRequest): Promise<Page<AuditEntry>>;
}

/** Deletes what is older than its retention, in small steps; how many rows went. Undelivered events stay. */
export interface Retention {
  prune(before: {
    readonly events: number;
    readonly messages: number;
    readonly inbox: number;
    readonly idempotency: number;
  }): Promise<number>;
  /** Gives some of the freed space back to the disk; true where there is more. */
  shrink(): Promise<boolean>;
}

/** All ports of one database. */
export interface Stores {
  readonly devices: DeviceStore;
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
  /** Null where one process has the database alone. */
  readonly cluster: ClusterStore | null;
  /** Called after each commit with the events that it wrote, in the order of the log; with none where those of other nodes may have been missed. Returns the way to stop. */
  onEvents(listener: (events: readonly CommittedEvent[]) => void): () => void;
  /** True when the database takes writes. */
  ping(): Promise<boolean>;
  /** Calls with Unavailable once the database has been away for some seconds. Returns the way to be no longer called. Null where it cannot be away. */
  readonly onAway: ((listener: (error: HandsetError) => void) => () => void) | null;
  close(): Promise<void>;
}
