/** Ports to the store, all implemented by `store/` on SQLite and PostgreSQL. Times are ms since the epoch. */
import type { AppStateStore } from './app-state.ts';
import type { Actor, AuditAction, AuditDetail, AuditEntry, AuditSubject } from './audit.ts';
import type { KeyName, SessionChanges } from './changes.ts';
import type { Chat } from './chats/chat.ts';
import type { Contact, LookUpStore } from './chats/contact.ts';
import type { RevisionStore } from './client-version.ts';
import type {
  Attempt,
  AttemptResult,
  Delivery,
  DeliveryState,
  DueDelivery,
  FreshDelivery,
  FreshTaker,
  Recovery,
} from './delivery.ts';
import type { DevicePatch, DeviceRecord, DeviceSettings, NewDevice } from './device.ts';
import type { AnyKind, CommittedEvent, StoredEvent } from './event.ts';
import type { HandsetError } from '../errors.ts';
import type { KeptGroup } from './groups/group.ts';
import type { LabelStore } from './chats/label.ts';
import type { NewChatStore } from './account-limits.ts';
import type { SuppressionStore } from './chats/suppressions.ts';
import type { Jid } from './jid.ts';
import type { ClusterStore } from './lease.ts';
import type { MessageRecord } from './message.ts';
import type { Creation, CreationStore, IdempotencyStore } from './messages/idempotency.ts';
import type { KeptMediaStore } from './messages/kept-media.ts';
import type { MessageFilter } from './messages/search.ts';
import type { ScheduledStore } from './messages/scheduled.ts';
import type { AnnotationKind, Kept } from './messages/annotation.ts';
import type { StatusRecord, StatusViewer } from './messages/statuses.ts';
import type { Account } from './sessions/state.ts';
import type { UserStore } from './user.ts';
import type { UsageStore } from './usage.ts';
import type { WebhookStore } from './webhooks/webhook.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** A page ends at its limit or at this many stored bytes, but has at least one item. */
export const maxPageBytes = 4 * 1_048_576;

export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | null;
  readonly bytes?: number;
}

interface Searching {
  readonly signal?: AbortSignal | undefined;
}

/** What a device that moves in brings along. */
export interface MovedLink extends Required<Pick<SessionChanges, 'credentials' | 'keys'>> {
  readonly account: Account;
  readonly settings: Partial<Omit<DeviceSettings, 'proxy'>>;
  readonly action: AuditAction;
}

export interface DeviceStore {
  /** Throws DeviceLimitReached, checked in the same transaction. `once` is answered with the record until the answer is known. */
  create(
    device: NewDevice & { readonly link?: MovedLink | undefined },
    now: number,
    by?: Actor,
    once?: Creation,
  ): Promise<DeviceRecord>;
  find(id: number): Promise<DeviceRecord | null>;
  findMany(ids: readonly number[]): Promise<readonly DeviceRecord[]>;
  ownerOf(id: number): Promise<number | null>;
  list(userId: number | null, page: PageRequest, only?: readonly number[] | null): Promise<Page<DeviceRecord>>;
  /** Throws DeviceNotFound, and DeviceLimitReached if it becomes active above the limit. */
  update(id: number, patch: DevicePatch, by?: Actor): Promise<DeviceRecord>;
  /** With credentials, keys, messages, events, deliveries, webhooks and idempotency records. */
  delete(id: number, by?: Actor): Promise<void>;
  countActive(userId: number): Promise<number>;
}

/** The authentication state of sessions. Written through `SessionChanges`: `credentials`, `keys`, `inbox`. */
export interface CredentialStore {
  loadCredentials(deviceId: number): Promise<Uint8Array | null>;
  readKeys(deviceId: number, type: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  readTogether(deviceId: number, keys: readonly KeyName[]): Promise<readonly (Uint8Array | null)[]>;
  listKeys(
    deviceId: number,
  ): Promise<readonly { readonly type: string; readonly id: string; readonly value: Uint8Array }[]>;
  readInbox(deviceId: number, key: string): Promise<Uint8Array | null>;
}

export interface ChangeStore {
  /**
   * Writes one protocol step in a durable transaction; returns the events written, without duplicates. `epoch` of the session's lease:
   * required for authentication state if nodes share the database; LeaseLost if another node has taken the device.
   */
  commit(deviceId: number, changes: SessionChanges, epoch?: number | null): Promise<readonly StoredEvent[]>;
  /** Deletes credentials, keys and inbox (after a logout); messages and events stay. `changes` are in the same transaction. */
  clearCredentials(deviceId: number, changes: SessionChanges, epoch?: number | null): Promise<readonly StoredEvent[]>;
}

export interface SessionCredentials extends Pick<
  CredentialStore,
  'loadCredentials' | 'readKeys' | 'readTogether' | 'readInbox'
> {
  commit(deviceId: number, changes: SessionChanges, epoch?: number | null): Promise<unknown>;
  clearCredentials(deviceId: number, changes: SessionChanges, epoch?: number | null): Promise<unknown>;
}

export interface MessagePage extends Page<MessageRecord> {
  readonly searchedSince: number | null;
}

export interface MessageStore {
  /** `patient`: waits up to a minute for a remote database. */
  find(deviceId: number, messageId: string, chat?: Jid, patient?: boolean): Promise<MessageRecord | null>;
  oldest(deviceId: number, chat: Jid): Promise<MessageRecord | null>;
  /** Newest first. A filtered page may be short although more follow. */
  list(deviceId: number, page: PageRequest & MessageFilter & Searching & { readonly chat?: Jid }): Promise<MessagePage>;
  annotations(
    deviceId: number,
    messages: readonly Pick<MessageRecord, 'id' | 'chat' | 'chatLid'>[],
    kinds: readonly AnnotationKind[],
  ): Promise<readonly (readonly Kept[])[]>;
}

/** Written through `SessionChanges.groups`. `list`: those the account is in, without communities. */
export interface GroupStore {
  find(deviceId: number, group: Jid): Promise<KeptGroup | null>;
  list(deviceId: number, page: PageRequest): Promise<Page<KeptGroup>>;
  all(deviceId: number): Promise<readonly KeptGroup[]>;
}

/** Written through `SessionChanges.statuses`. Statuses that have expired are not found. */
export interface StatusStore {
  find(deviceId: number, id: string): Promise<StatusRecord | null>;
  /** LIDs; null for a post that is not the account's own, or was made on the phone. */
  audience(deviceId: number, id: string): Promise<readonly Jid[] | null>;
  /** Newest first. `own`: those of the account itself, or of others; all if omitted. */
  list(deviceId: number, page: PageRequest & { readonly own?: boolean | undefined }): Promise<Page<StatusRecord>>;
  /** Unordered, as people are sealed. */
  viewers(deviceId: number, id: string, page: PageRequest): Promise<Page<StatusViewer>>;
}

export interface ChatFilter extends PageRequest, Searching {
  readonly unread?: boolean;
  readonly archived?: boolean;
  readonly label?: string;
  readonly q?: string;
}

export interface ChatStore {
  find(deviceId: number, name: Jid): Promise<Chat | null>;
  /** Newest activity first. With `q` a page may be short although more follow. */
  list(deviceId: number, filter: ChatFilter): Promise<Page<Chat>>;
}

/** Written through `SessionChanges.keys` (`chats/usernames.ts`). */
export interface UsernameStore {
  of(deviceId: number, lids: readonly (Jid | null)[]): Promise<readonly (string | null)[]>;
}

export interface ContactStore {
  find(deviceId: number, name: Jid): Promise<Contact | null>;
  /** Unordered, as names are sealed. With `q` a page may be short although more follow. */
  list(deviceId: number, filter: PageRequest & Searching & { readonly q?: string }): Promise<Page<Contact>>;
}

export interface EventStore {
  find(deviceId: number, eventId: string): Promise<StoredEvent | null>;
  listAfter(deviceId: number, page: PageRequest, kinds?: readonly AnyKind[]): Promise<Page<StoredEvent>>;
  listBefore(deviceId: number, page: PageRequest, kinds: readonly AnyKind[]): Promise<Page<StoredEvent>>;
  /** Throws InvalidRequest, naming `member`, if the id is another device's, ahead of the log, or was lost by a restore. */
  assertPosition(deviceId: number, after: string, member?: string): Promise<void>;
  latestId(deviceId: number): Promise<string | null>;
}

/** The queue of deliveries. `webhookId` defaults to the device's primary webhook. */
export interface Outbox {
  /** The oldest pending delivery of each (device, webhook, orderKey), until `leaseUntil`. Skips `exceptWebhooks` and disabled webhooks. */
  claim(request: {
    readonly now: number;
    readonly leaseUntil: number;
    readonly limit: number;
    readonly exceptWebhooks: readonly number[];
    readonly exceptUsers?: readonly number[];
    readonly roomOf?: (
      owner: Pick<DueDelivery, 'webhookId' | 'userId'>,
      taken: readonly Pick<DueDelivery, 'webhookId' | 'userId'>[],
    ) => number;
    /** How many of one queue may be claimed together, as `rest` of the first; default: one. */
    readonly runOf?: (webhookId: number) => number;
  }): Promise<readonly DueDelivery[]>;
  /** From now on commits of this process claim what they write for `taker`, if it accepts it and nothing older waits in its queue. */
  takeFresh(taker: FreshTaker): void;
  /** Records attempts, many in one transaction; those of a run in order. Returns the webhooks that have recovered. */
  record(results: readonly AttemptResult[]): Promise<readonly Recovery[]>;
  /** Ends the claims on the fresh deliveries of these queues, which are named by one delivery each. Returns the ids of all of them. */
  release(queues: readonly FreshDelivery[]): Promise<readonly string[]>;
  /** Makes the waiting head of each chat due; returns their number. `untried`: only those without an early attempt since they were last due. */
  bringForward(webhookId: number, now: number, untried?: boolean): Promise<number>;
  depth(atMost: number): Promise<{ readonly pending: number; readonly oldestAt: number | null }>;
  /** When the next claim may find something, possibly too early; null: nothing is pending. */
  nextDueAt(): Promise<number | null>;
  list(
    deviceId: number | null,
    page: PageRequest & { readonly state?: DeliveryState },
    webhookId?: number,
  ): Promise<Page<Delivery>>;
  find(deviceId: number, deliveryId: string): Promise<Delivery | null>;
  attempts(
    deviceId: number | null,
    deliveryId: string,
    page: PageRequest,
    webhookId?: number,
  ): Promise<Page<Attempt> | null>;
  retry(deviceId: number | null, deliveryId: string, now: number, webhookId?: number): Promise<Delivery | null>;
  /** Makes deliveries that failed since then pending and due now; returns their number. */
  retryFailed(deviceId: number | null, since: number | null, now: number, webhookId?: number): Promise<number>;
}

/** Ports that change a user, key, device or webhook write the entry in the same transaction (`by`: who requested it; default: the service). */
export interface AuditStore {
  append(by: Actor, action: AuditAction, subject: AuditSubject, detail?: AuditDetail): Promise<void>;
  list(page: PageRequest): Promise<Page<AuditEntry>>;
}

/** Small steps; returns the number of rows. Undelivered events stay. */
export interface Retention {
  prune(before: {
    readonly events: number;
    readonly messages: number;
    readonly inbox: number;
    readonly idempotency: number;
  }): Promise<number>;
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
  readonly labels: LabelStore;
  readonly usernames: UsernameStore;
  readonly lookUps: LookUpStore;
  readonly newChats: NewChatStore;
  readonly suppressions: SuppressionStore;
  readonly usage: UsageStore;
  readonly events: EventStore;
  readonly idempotency: IdempotencyStore;
  readonly creations: CreationStore;
  readonly scheduled: ScheduledStore;
  readonly statuses: StatusStore;
  readonly outbox: Outbox;
  readonly webhooks: WebhookStore;
  readonly users: UserStore;
  readonly retention: Retention;
  readonly audit: AuditStore;
  readonly clientRevisions: RevisionStore;
  readonly cluster: ClusterStore | null;
  /** Called after each commit, in log order; without events if those of other nodes may have been missed. Returns the unsubscriber. */
  onEvents(listener: (events: readonly CommittedEvent[]) => void): () => void;
  ping(): Promise<boolean>;
  /** Called with Unavailable once the database has been unreachable for some seconds. Returns the unsubscriber. Null for a local one. */
  readonly onAway: ((listener: (error: HandsetError) => void) => () => void) | null;
  close(): Promise<void>;
}
