/** What later versions have added to the tables of 0.3.0. */
import type { Migration } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';
import { migration } from './maker.ts';

const ofDevice = 'device_id bigint devices.id cascade';

const expansions: Readonly<Record<string, Parameters<typeof migration>[1]>> = {
  '0002-sign-ins': ({ table, index }) => [
    table('sign_ins', 'hash bytes key, key_id bigint api_keys.id cascade, expires_at bigint'),
    index('sign_ins_key', 'sign_ins', 'key_id expires_at'),
  ],
  '0003-key-limits': ({ column }) => [column('api_keys', 'devices', 'text'), column('api_keys', 'actions', 'text')],
  '0004-scheduled': ({ table, index }) => [
    table(
      'scheduled',
      `${ofDevice}, message_id text, key_id bigint?, send_at bigint, send_until bigint, due_at bigint?, attempts integer,
      leaving integer, file_bytes bigint, created_at bigint, data bytes`,
      'device_id message_id',
    ),
    index('scheduled_due', 'scheduled', 'device_id due_at'),
    table(
      'scheduled_files',
      'device_id bigint, message_id text, piece integer, data bytes',
      'device_id message_id piece',
      { name: 'scheduled', key: 'device_id message_id' },
    ),
  ],
  '0005-creations': ({ table, index }) => [
    table(
      'creations',
      'user_id bigint users.id cascade, key_hash text, fingerprint text, answer bytes, created_at bigint',
      'user_id key_hash',
    ),
    index('creations_age', 'creations', 'created_at'),
  ],
  '0006-labels': ({ table, index }) => [
    table('labels', `${ofDevice}, id text, data bytes`, 'device_id id'),
    table(
      'label_marks',
      `${ofDevice}, chat_hash text, message_id text, label_id text, labeled integer, at bigint`,
      'device_id chat_hash message_id label_id',
    ),
    index('label_marks_label', 'label_marks', 'device_id label_id message_id chat_hash'),
  ],
  '0007-statuses': ({ table, index }) => [
    table(
      'statuses',
      `${ofDevice}, status_id text, own integer, at bigint, expires_at bigint, accepted_at bigint?, deleted_at bigint?,
      recipients integer?, data bytes, content bytes?, audience bytes?`,
      'device_id status_id',
    ),
    index('statuses_age', 'statuses', 'expires_at'),
    index('statuses_newest', 'statuses', 'device_id at'),
    table(
      'status_viewers',
      'device_id bigint, status_id text, person_hash text, delivered_at bigint?, viewed_at bigint?, data bytes',
      'device_id status_id person_hash',
      { name: 'statuses', key: 'device_id status_id' },
    ),
  ],
  // Deliveries that are claimed by the commit that writes them (docs/decisions/0044-posted-by-their-writer.md).
  '0008-fresh-claims': ({ column, index }) => [
    column('deliveries', 'claimed_by', 'bigint'),
    index('deliveries_claimed', 'deliveries', 'created_at', 'claimed_by'),
  ],
};

export const expansionsOf = (types: ColumnTypes): Readonly<Record<string, Migration>> =>
  Object.fromEntries(Object.entries(expansions).map(([name, statements]) => [name, migration(types, statements)]));
