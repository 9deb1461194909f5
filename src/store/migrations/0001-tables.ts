/** The tables of 0.3.0. Columns are documented where they are typed: `base/schema.ts` and the folders' `tables.ts`. */
import { type Migration, sql } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';
import { type Maker, migration } from './maker.ts';

const ofDevice = 'device_id bigint devices.id cascade';
const ofUser = 'user_id bigint users.id cascade';
const ofWebhook = `${ofDevice}, webhook_id bigint`;

/** Rows of the audit log are only ever added: the database itself refuses anything else. */
const accounts = ({ table, index, raw }: Maker, { appendOnly }: ColumnTypes) => [
  table('meta', 'name text key, value bytes'),
  table('generation', 'id integer key, lineage text, value bigint, copied integer'),
  table(
    'users',
    'id identity, name text unique, device_limit integer, webhooks_revision bigint zero, created_at bigint',
  ),
  table(
    'api_keys',
    `id identity, ${ofUser}, name text, hint text, hash bytes unique, created_at bigint, last_used_at bigint?,
    expires_at bigint?, revoked_at bigint?`,
  ),
  index('api_keys_user', 'api_keys', 'user_id'),
  table('suppressions', `id identity, ${ofUser}, number_hash text?, lid_hash text?, data bytes, created_at bigint`),
  index('suppressions_number', 'suppressions', 'user_id number_hash').unique(),
  index('suppressions_lid', 'suppressions', 'user_id lid_hash').unique(),
  table(
    'audit',
    `id identity, at bigint, action text, user_id bigint?, key_id bigint?, device_id bigint?, actor text, detail text`,
  ),
  ...raw(appendOnly('audit')),
];

const devices = ({ table, index }: Maker) => [
  table(
    'devices',
    `id identity, user_id bigint users.id, name text, active integer, account bytes?, pairing_at bigint?,
    announced_open integer zero, last_seen_at bigint?, settings text?, sealed_settings bytes?, proxy bytes?, limits text?,
    messages_sent bigint zero, event_seq bigint zero, pruned_seq bigint zero, webhooks_revision bigint, created_at bigint,
    deleted integer zero`,
  ),
  index('devices_user', 'devices', 'user_id id'),
  table('look_ups', `${ofDevice}, kind text, day bigint, count integer`, 'device_id kind'),
  table('new_chats', `${ofDevice}, day bigint, jid_hash text`, 'device_id day jid_hash'),
  table('credentials', 'device_id bigint key devices.id cascade, value bytes'),
  table('signal_keys', `${ofDevice}, type text, id_hash text, value bytes`, 'device_id type id_hash'),
  table('inbox', `${ofDevice}, key text, plaintext bytes, created_at bigint`, 'device_id key'),
  index('inbox_age', 'inbox', 'created_at'),
  table(
    'idempotency',
    `${ofDevice}, key_hash text, fingerprint text, message_id text, run_id text, done integer, answer bytes?,
    created_at bigint`,
    'device_id key_hash',
  ),
  index('idempotency_age', 'idempotency', 'created_at'),
  table('app_state', `${ofDevice}, kind text, jid_hash text, data bytes`, 'device_id kind jid_hash'),
];

const messages = ({ table, index }: Maker) => [
  table(
    'messages',
    `n identity, ${ofDevice}, chat_hash text, lid_hash text?, id text, timestamp bigint, state text, accepted_at bigint?,
    delivered_at bigint?, read_at bigint?, failed_at bigint?, deleted_at bigint?, data bytes, content bytes?,
    stored_at bigint`,
  ).addUniqueConstraint('messages_key', ['device_id', 'id', 'chat_hash']),
  index('messages_newest', 'messages', 'device_id timestamp n'),
  index('messages_chat', 'messages', 'device_id chat_hash timestamp n'),
  index('messages_lid', 'messages', 'device_id lid_hash timestamp n', 'lid_hash'),
  index('messages_age', 'messages', 'stored_at'),
  table(
    'annotations',
    `${ofDevice}, message_id text, chat_hash text, kind text, person_hash text, at bigint, data bytes, stored_at bigint`,
    'device_id message_id chat_hash kind person_hash',
  ),
  index('annotations_age', 'annotations', 'stored_at'),
  // Refers to no message and no device: the row stays until its file is removed.
  table(
    'kept_media',
    `message_n bigint key, device_id bigint, state text, historic integer, due_at bigint, attempts integer, file text,
    bytes bigint?, pieces bytes?, stored_at bigint`,
  ),
  index('kept_media_by_state', 'kept_media', 'state device_id historic message_n due_at'),
  index('kept_media_by_age', 'kept_media', 'stored_at'),
];

const named = `${ofDevice}, jid_hash text, lid_hash text?, data bytes`;

const chats = ({ table, index }: Maker) => [
  table(
    'chats',
    `${named}, at bigint zero, unread integer zero, archived integer zero, pinned_at bigint?, muted_until bigint?,
    name bytes?`,
    'device_id jid_hash',
  ),
  index('chats_newest', 'chats', 'device_id at jid_hash unread archived'),
  table(
    'contacts',
    `${named}, blocked integer zero, saved bytes?, push_name bytes?, business_name bytes?, about bytes?, picture bytes?`,
    'device_id jid_hash',
  ),
  index('chats_lid', 'chats', 'device_id lid_hash'),
  index('contacts_lid', 'contacts', 'device_id lid_hash'),
  table('groups', `${ofDevice}, jid_hash text, listed integer, data bytes`, 'device_id jid_hash'),
  table(
    'events',
    `${ofDevice}, seq bigint, at bigint, kind text, dedupe_hash text?, data bytes, stored_at bigint`,
    'device_id seq',
  ),
  index('events_dedupe', 'events', 'device_id dedupe_hash', 'dedupe_hash').unique(),
  index('events_age', 'events', 'stored_at device_id seq'),
];

const webhooks = ({ table, index }: Maker) => [
  table(
    'webhooks',
    `id identity, ${ofUser}, device_id bigint? devices.id cascade, is_primary integer, data bytes?, events text,
    enabled integer, ordered integer, settle_seconds integer?, created_at bigint, previous_secret_until bigint?,
    disabled_at bigint?, failing_since bigint?, last_success_at bigint?, deleted integer zero`,
  ),
  index('webhooks_user', 'webhooks', 'user_id device_id id'),
  index('webhooks_device', 'webhooks', 'device_id is_primary id'),
  index('webhooks_primary', 'webhooks', 'device_id').unique().where(sql.ref('is_primary'), '=', sql.lit(1)),
  table(
    'chat_turns',
    `${ofDevice}, chat_hash text, due_at bigint?, stored_at bigint, data bytes`,
    'device_id chat_hash',
  ),
  index('chat_turns_due', 'chat_turns', 'due_at', 'due_at'),
  index('chat_turns_age', 'chat_turns', 'stored_at'),
  table('webhook_queues', `${ofWebhook}, due_at bigint?`, 'device_id webhook_id'),
  index('webhook_queues_webhook', 'webhook_queues', 'webhook_id device_id'),
  index('webhook_queues_due', 'webhook_queues', 'due_at device_id webhook_id', 'due_at'),
  table(
    'delivery_queues',
    `${ofWebhook}, order_hash text, head_seq bigint, due_at bigint, leased integer`,
    'device_id webhook_id order_hash',
  ),
  index('delivery_queues_due', 'delivery_queues', 'device_id webhook_id due_at head_seq'),
];

const deliveries = ({ table, index }: Maker) => [
  table(
    'deliveries',
    `${ofWebhook}, seq bigint, order_hash text, state text, attempts integer, next_attempt_at bigint?, created_at bigint,
    delivered_at bigint?, last_attempt_at bigint?, last_status integer?, last_duration_ms bigint?, last_detail bytes?,
    failing_since bigint?, late integer zero, brought_forward integer zero`,
    'device_id seq webhook_id',
  ),
  index('deliveries_newest', 'deliveries', 'webhook_id seq device_id'),
  index('deliveries_undelivered', 'deliveries', 'webhook_id seq device_id').where(
    sql.ref('state'),
    '<>',
    sql.lit('delivered'),
  ),
  index('deliveries_pending', 'deliveries', 'device_id webhook_id order_hash seq', 'next_attempt_at'),
  table(
    'attempts',
    `${ofWebhook}, seq bigint, at bigint, status integer?, duration_ms bigint?, detail bytes?`,
    'device_id webhook_id seq at',
  ),
];

const cluster = ({ table, index, raw }: Maker, { unlogged }: ColumnTypes) => [
  table('nodes', 'id text key, url text, draining integer, expires_at bigint, lease_ms bigint'),
  table('leases', 'device_id bigint key devices.id cascade, node text?, epoch bigint, wanted integer, memo bytes?'),
  index('leases_node', 'leases', 'node'),
  index('leases_free', 'leases', 'device_id')
    .where(sql.ref('node'), 'is', null)
    .where(sql.ref('wanted'), '=', sql.lit(1)),
  table('rates', 'user_id bigint key, times times, allowed integer'),
  ...raw(unlogged('rates')),
];

export const createTables = (types: ColumnTypes): Migration =>
  migration(types, (maker) =>
    [accounts, devices, messages, chats, webhooks, deliveries, cluster].flatMap((part) => part(maker, types)),
  );
