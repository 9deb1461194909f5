/** The tables as Kysely sees them. Times are ms since the epoch; `sealed` columns are envelopes of `sealer.ts`. */
import type { AppStateKind } from '../../domain/app-state.ts';
import type { AuditAction } from '../../domain/audit.ts';
import type { AnyKind } from '../../domain/event.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { SessionMemo } from '../../domain/lease.ts';
import type {
  CreationsTable,
  IdempotencyTable,
  KeptMediaTable,
  ScheduledFilesTable,
  ScheduledTable,
  StatusesTable,
  StatusViewersTable,
} from '../messages/tables.ts';
import type {
  AttemptsTable,
  ChatTurnsTable,
  DeliveriesTable,
  DeliveryQueuesTable,
  WebhookQueuesTable,
  WebhooksTable,
} from '../webhooks/tables.ts';
import type {
  ChatsTable,
  ContactsTable,
  LabelMarksTable,
  LabelsTable,
  LookUpsTable,
  NewChatsTable,
  SuppressionsTable,
} from '../chats/tables.ts';
import type { MessageState } from '../../domain/message.ts';
import type { AnnotationKind } from '../../domain/messages/annotation.ts';
import type { Account } from '../../domain/sessions/state.ts';
import type { AnnotationContent, AppStateContent, EventContent, MessageContent } from '../sealing/rows.ts';
import type { SealedJson } from '../sealing/sealer.ts';
import type { StoredSettings } from '../sealing/stored-settings.ts';
import type { ColumnDefinitionBuilder, Generated, RawBuilder } from 'kysely';

type Sealed = Uint8Array;
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
  /** Random, changed with the user's account-wide webhooks; 0: there were none yet. */
  webhooks_revision: Generated<number>;
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
  devices: string | null;
  actions: string | null;
}

export interface SignInsTable {
  hash: Uint8Array;
  key_id: number;
  expires_at: number;
}

export interface DevicesTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  active: Flag;
  /** Random, changed with the device's webhooks. */
  webhooks_revision: number;
  messages_sent: Generated<number>;
  event_seq: Generated<number>;
  pruned_seq: Generated<number>;
  created_at: number;
  account: SealedJson<Account> | null;
  announced_open: Generated<Flag>;
  pairing_at: number | null;
  last_seen_at: number | null;
  /** JSON of changed settings that hold no numbers or texts. */
  settings: string | null;
  sealed_settings: SealedJson<StoredSettings> | null;
  /** JSON of `AccountLimits`; null before the network reports any. */
  limits: string | null;
  proxy: SealedJson<string> | null;
  /** 1 while the rows of a deleted device are removed, 2 while its last event waits for retention, 3 while it moves in. Readers see none. */
  deleted: Generated<number>;
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
  /** Insertion order; breaks ties of equal timestamps. */
  n: Generated<number>;
  device_id: number;
  chat_hash: Lookup;
  /** Hash of the LID, if known: both addresses find the chat. */
  lid_hash: Lookup | null;
  id: string;
  timestamp: number;
  state: MessageState;
  accepted_at: number | null;
  delivered_at: number | null;
  read_at: number | null;
  failed_at: number | null;
  deleted_at: number | null;
  data: SealedJson<MessageContent>;
  content: Sealed | null;
  stored_at: number;
}

export interface AnnotationsTable {
  device_id: number;
  message_id: string;
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

interface GenerationTable {
  id: number;
  /** Identifies an installation; copies of a database share it. */
  lineage: string;
  value: number;
  /** 1 in a backup, which is older than its installation. */
  copied: Flag;
}

export interface GroupsTable {
  device_id: number;
  jid_hash: string;
  /** 1 if the account is a member and it is no community. */
  listed: number;
  data: SealedJson<KeptGroup>;
}

interface NodesTable {
  id: string;
  url: string;
  draining: number;
  /** By the database's clock. Other nodes watch whether it changes; see `node-watch.ts`. */
  expires_at: number;
  lease_ms: number;
}

interface LeasesTable {
  device_id: number;
  node: string | null;
  epoch: number;
  wanted: number;
  memo: SealedJson<SessionMemo> | null;
}

interface RatesTable {
  user_id: number;
  times: number[];
  allowed: number;
}

export interface Schema {
  meta: MetaTable;
  generation: GenerationTable;
  users: UsersTable;
  api_keys: ApiKeysTable;
  sign_ins: SignInsTable;
  devices: DevicesTable;
  credentials: CredentialsTable;
  signal_keys: SignalKeysTable;
  inbox: InboxTable;
  messages: MessagesTable;
  annotations: AnnotationsTable;
  kept_media: KeptMediaTable;
  app_state: AppStateTable;
  look_ups: LookUpsTable;
  new_chats: NewChatsTable;
  suppressions: SuppressionsTable;
  chats: ChatsTable;
  contacts: ContactsTable;
  labels: LabelsTable;
  label_marks: LabelMarksTable;
  groups: GroupsTable;
  events: EventsTable;
  webhooks: WebhooksTable;
  webhook_queues: WebhookQueuesTable;
  delivery_queues: DeliveryQueuesTable;
  deliveries: DeliveriesTable;
  attempts: AttemptsTable;
  chat_turns: ChatTurnsTable;
  idempotency: IdempotencyTable;
  creations: CreationsTable;
  scheduled: ScheduledTable;
  scheduled_files: ScheduledFilesTable;
  statuses: StatusesTable;
  status_viewers: StatusViewersTable;
  audit: AuditTable;
  nodes: NodesTable;
  leases: LeasesTable;
  rates: RatesTable;
}

interface AuditTable {
  id: Generated<number>;
  at: number;
  action: AuditAction;
  user_id: number | null;
  key_id: number | null;
  device_id: number | null;
  actor: string;
  detail: string;
}

export interface ColumnTypes {
  readonly bytes: RawBuilder<unknown>;
  readonly id: RawBuilder<unknown>;
  /** Never reuses an id. */
  readonly identity: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  readonly times: RawBuilder<unknown>;
  readonly appendOnly: (table: string) => readonly string[];
  /** Statements that exempt a table from the write-ahead log; a crash of the database empties it. */
  readonly unlogged: (table: string) => readonly string[];
}
