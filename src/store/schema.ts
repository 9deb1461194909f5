/** The tables as Kysely sees them. Times are ms since the epoch; `sealed` columns are envelopes of `sealer.ts`. */
import type { AppStateKind } from '../domain/app-state.ts';
import type { AuditAction } from '../domain/audit.ts';
import type { DeliveryState } from '../domain/delivery.ts';
import type { AnyKind } from '../domain/event.ts';
import type { GroupsTable } from './groups/table.ts';
import type { ChatsTable, ContactsTable, LookUpsTable, ProgressTable } from './chats/tables.ts';
import type { StoredMemo } from './cluster/stored-memo.ts';
import type { MessageState } from '../domain/message.ts';
import type { AnnotationKind } from '../domain/messages/annotation.ts';
import type { Account } from '../domain/session-state.ts';
import type {
  AnnotationContent,
  AppStateContent,
  DeliveryDetail,
  EventContent,
  MessageContent,
} from './sealing/rows.ts';
import type { SealedJson } from './sealing/sealer.ts';
import type { ColumnDefinitionBuilder, Generated, RawBuilder } from 'kysely';

type Sealed = Uint8Array;
type WebhookSecret = SealedJson<string>;
/** 22 characters of a keyed hash (`Sealer.lookup`). */
type Lookup = string;
/** 0 or 1: SQLite has no booleans. */
type Flag = number;

interface MetaTable {
  name: string;
  value: SealedJson<string>;
}

export interface UsersTable {
  id: Generated<number>;
  name: string;
  device_limit: number;
  created_at: number;
}

export interface ApiKeysTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  hint: string;
  hash: Uint8Array;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface DevicesTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  active: Flag;
  webhook_url: SealedJson<string> | null;
  /** JSON array of event kinds. */
  webhook_events: string;
  webhook_secret: WebhookSecret | null;
  previous_secret: WebhookSecret | null;
  previous_secret_until: number | null;
  disabled_at: number | null;
  failing_since: number | null;
  last_success_at: number | null;
  /** When the outbox should look at this device next; null: nothing to post, or nowhere to. */
  queue_at: Generated<number | null>;
  messages_sent: Generated<number>;
  /** The sequence of the newest event. */
  event_seq: Generated<number>;
  /** The newest one that retention has removed. */
  pruned_seq: Generated<number>;
  created_at: number;
  account: SealedJson<Account> | null;
  announced_open: Generated<Flag>;
  /** When a pairing that has not ended last offered something. */
  pairing_at: number | null;
  last_seen_at: number | null;
  /** JSON of the settings that were changed; null where none was. */
  settings: string | null;
  /** 1 while the rows of a deleted device are being removed: it is gone for every reader. */
  deleted: Generated<Flag>;
}

interface CredentialsTable {
  device_id: number;
  value: Sealed;
}

interface SignalKeysTable {
  device_id: number;
  type: string;
  id_hash: Lookup;
  value: Sealed;
}

interface InboxTable {
  device_id: number;
  key: string;
  plaintext: Sealed;
  created_at: number;
}

export interface MessagesTable {
  /** Order of storing, the tie-break of equal timestamps. */
  n: Generated<number>;
  device_id: number;
  chat_hash: Lookup;
  /** Hash of the chat's LID where it has one: both addresses find the chat. */
  lid_hash: Lookup | null;
  id: string;
  timestamp: number;
  state: MessageState;
  accepted_at: number | null;
  delivered_at: number | null;
  read_at: number | null;
  failed_at: number | null;
  deleted_at: number | null;
  /** The record without these columns and `content`. */
  data: SealedJson<MessageContent>;
  content: Sealed | null;
  stored_at: number;
}

export interface AnnotationsTable {
  device_id: number;
  message_id: string;
  /** The hash of the chat with which the message is stored, once it is. */
  chat_hash: Lookup;
  kind: AnnotationKind;
  person_hash: Lookup;
  at: number;
  data: SealedJson<AnnotationContent>;
  stored_at: number;
}

interface AppStateTable {
  device_id: number;
  kind: AppStateKind;
  jid_hash: Lookup;
  data: SealedJson<AppStateContent>;
}

interface EventsTable {
  device_id: number;
  seq: number;
  at: number;
  kind: AnyKind;
  dedupe_hash: Lookup | null;
  data: SealedJson<EventContent>;
  stored_at: number;
}

export interface DeliveriesTable {
  device_id: number;
  seq: number;
  order_hash: Lookup;
  state: DeliveryState;
  attempts: number;
  /** Set exactly while the delivery is pending. */
  next_attempt_at: number | null;
  created_at: number;
  delivered_at: number | null;
  last_attempt_at: number | null;
  last_status: number | null;
  last_duration_ms: number | null;
  last_detail: SealedJson<DeliveryDetail> | null;
  /** Start of its first failed attempt; null before that, and after a manual retry. */
  failing_since: Generated<number | null>;
  /** 1 once its chat has gone on without it. */
  late: Generated<Flag>;
  /** 1 when the recovery of the endpoint made it due before its time: its next attempt uses up none of its schedule. */
  brought_forward: Generated<Flag>;
}

/** Attempts that failed, and successful ones that were followed by a manual retry. The newest is in `deliveries`, too. */
interface AttemptsTable {
  device_id: number;
  seq: number;
  /** When it ended. */
  at: number;
  status: number | null;
  duration_ms: number | null;
  detail: SealedJson<DeliveryDetail> | null;
}

/** One row for each (device, order key) with a pending delivery: the head of that queue. */
interface DeliveryQueuesTable {
  device_id: number;
  order_hash: Lookup;
  head_seq: number;
  /** When the head may be claimed: its next attempt, or the end of its lease. */
  due_at: number;
  leased: Flag;
}

interface IdempotencyTable {
  device_id: number;
  key_hash: Lookup;
  fingerprint: string;
  message_id: string;
  run_id: string;
  done: Flag;
  created_at: number;
}

/** One row, of id 1. */
interface GenerationTable {
  id: number;
  /** Tells one installation from another; copies of a database have it in common. */
  lineage: string;
  value: number;
  /** 1 in a backup: it is older than the installation that it came from. */
  copied: Flag;
}

export interface Schema {
  meta: MetaTable;
  generation: GenerationTable;
  users: UsersTable;
  api_keys: ApiKeysTable;
  devices: DevicesTable;
  credentials: CredentialsTable;
  signal_keys: SignalKeysTable;
  inbox: InboxTable;
  messages: MessagesTable;
  annotations: AnnotationsTable;
  app_state: AppStateTable;
  look_ups: LookUpsTable;
  chats: ChatsTable;
  contacts: ContactsTable;
  groups: GroupsTable;
  progress: ProgressTable;
  events: EventsTable;
  deliveries: DeliveriesTable;
  attempts: AttemptsTable;
  lanes: DeliveryQueuesTable;
  idempotency: IdempotencyTable;
  audit: AuditTable;
  nodes: NodesTable;
  leases: LeasesTable;
  rates: RatesTable;
}

interface NodesTable {
  id: string;
  url: string;
  draining: Flag;
  /** The end of the lease by the database's clock. Nodes of the previous version rely on it; later ones only check whether it changes. */
  expires_at: number;
  lease_ms: Generated<number | null>;
}

interface LeasesTable {
  device_id: number;
  /** Null after a release. */
  node: string | null;
  epoch: number;
  /** 1 while a session is wanted: another node takes it when nobody has it. */
  wanted: Flag;
  memo: SealedJson<StoredMemo> | null;
}

interface RatesTable {
  user_id: number;
  /** When the requests of the last minute were accepted. */
  times: number[];
  /** Whether the newest one was. */
  allowed: Flag;
}

interface AuditTable {
  id: Generated<number>;
  at: number;
  action: AuditAction;
  user_id: number | null;
  key_id: number | null;
  device_id: number | null;
  /** JSON of the `Actor`. */
  actor: string;
  /** JSON of the `AuditDetail`. */
  detail: string;
}

/** DDL that differs between the databases. */
export interface ColumnTypes {
  readonly bytes: RawBuilder<unknown>;
  /** The type of an identity column: 64 bits. */
  readonly id: RawBuilder<unknown>;
  /** A primary key that the database counts up and never gives twice. */
  readonly identity: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** A list of times. */
  readonly times: RawBuilder<unknown>;
  /** Statements after which rows of the table can be added, and neither changed nor deleted. */
  readonly appendOnly: (table: string) => readonly string[];
}
