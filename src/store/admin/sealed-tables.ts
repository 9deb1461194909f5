/** The tables and columns that are sealed, with the context of each envelope. */
import { credentialsContext, inboxContext } from '../commit/changes.ts';
import { accountContext, proxyContext } from '../webhooks/device-rows.ts';
import { keyContext } from '../sealing/keys.ts';
import { settingsContext } from '../sealing/stored-settings.ts';
import { memoContext } from '../cluster/leases.ts';
import {
  annotationContext,
  appStateContext,
  attemptContext,
  detailContext,
  eventContext,
  messageContext,
  nameContext,
} from '../sealing/rows.ts';
import { suppressionContext } from '../chats/suppressions.ts';
import { labelContext } from '../chats/tables.ts';
import { groupContext } from '../groups/table.ts';
import { answerContext, creationContext } from '../messages/idempotency.ts';
import { piecesContext } from '../messages/kept-media.ts';
import { scheduledContext } from '../messages/scheduled.ts';
import { statusContext, viewerContext } from '../messages/statuses.ts';
import { chatTurnContext, webhookContext } from '../webhooks/tables.ts';

// oxlint-disable-next-line typescript/no-redundant-type-constituents -- columns vary by table
export type Row = Readonly<Record<string, number | string | Uint8Array | null>>;

export interface SealedTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly more?: readonly string[];
  readonly columns: Readonly<Record<string, (row: Row) => string>>;
}

const number = (row: Row, column: string): number => Number(row[column]);
const string = (row: Row, column: string): string => String(row[column]);

const messageKey = (row: Row) => ({
  device_id: number(row, 'device_id'),
  chat_hash: string(row, 'chat_hash'),
  id: string(row, 'id'),
});

const statusKey = (row: Row) => ({ device_id: number(row, 'device_id'), status_id: string(row, 'status_id') });

const deliveryKey = (row: Row) => ({
  deviceId: number(row, 'device_id'),
  webhookId: number(row, 'webhook_id'),
  seq: number(row, 'seq'),
});

const named = (name: 'chats' | 'contacts', columns: readonly string[]): SealedTable => {
  const contextOf = (column: string) => (row: Row) =>
    nameContext(name, column, { device_id: number(row, 'device_id'), jid_hash: string(row, 'jid_hash') });
  return {
    name,
    key: ['device_id', 'jid_hash'],
    columns: Object.fromEntries(columns.map((column) => [column, contextOf(column)])),
  };
};

/** Everything that is sealed, except the markers in `meta`. A test compares it with the schema. */
export const sealedTables: readonly SealedTable[] = [
  {
    name: 'devices',
    key: ['id'],
    columns: {
      account: (row) => accountContext(number(row, 'id')),
      proxy: (row) => proxyContext(number(row, 'id')),
      sealed_settings: (row) => settingsContext(number(row, 'id')),
    },
  },
  {
    name: 'credentials',
    key: ['device_id'],
    columns: { value: (row) => credentialsContext(number(row, 'device_id')) },
  },
  {
    name: 'signal_keys',
    key: ['device_id', 'type', 'id_hash'],
    columns: {
      value: (row) =>
        keyContext({
          device_id: number(row, 'device_id'),
          type: string(row, 'type'),
          id_hash: string(row, 'id_hash'),
        }),
    },
  },
  {
    name: 'inbox',
    key: ['device_id', 'key'],
    columns: { plaintext: (row) => inboxContext(number(row, 'device_id'), string(row, 'key')) },
  },
  {
    name: 'messages',
    key: ['n'],
    more: ['device_id', 'chat_hash', 'id'],
    columns: {
      data: (row) => messageContext('data', messageKey(row)),
      content: (row) => messageContext('content', messageKey(row)),
    },
  },
  {
    name: 'kept_media',
    key: ['message_n'],
    columns: { pieces: (row) => piecesContext(number(row, 'message_n')) },
  },
  {
    name: 'idempotency',
    key: ['device_id', 'key_hash'],
    columns: {
      answer: (row) => answerContext({ device_id: number(row, 'device_id'), key_hash: string(row, 'key_hash') }),
    },
  },
  {
    name: 'creations',
    key: ['user_id', 'key_hash'],
    columns: {
      answer: (row) => creationContext({ user_id: number(row, 'user_id'), key_hash: string(row, 'key_hash') }),
    },
  },
  {
    name: 'scheduled',
    key: ['device_id', 'message_id'],
    columns: { data: (row) => scheduledContext(number(row, 'device_id'), string(row, 'message_id')) },
  },
  {
    name: 'scheduled_files',
    key: ['device_id', 'message_id', 'piece'],
    columns: {
      data: (row) => scheduledContext(number(row, 'device_id'), string(row, 'message_id'), number(row, 'piece')),
    },
  },
  {
    name: 'statuses',
    key: ['device_id', 'status_id'],
    columns: {
      data: (row) => statusContext('data', statusKey(row)),
      content: (row) => statusContext('content', statusKey(row)),
      audience: (row) => statusContext('audience', statusKey(row)),
    },
  },
  {
    name: 'status_viewers',
    key: ['device_id', 'status_id', 'person_hash'],
    columns: { data: (row) => viewerContext({ ...statusKey(row), person_hash: string(row, 'person_hash') }) },
  },
  {
    name: 'annotations',
    key: ['device_id', 'message_id', 'chat_hash', 'kind', 'person_hash'],
    columns: {
      data: (row) =>
        annotationContext({
          device_id: number(row, 'device_id'),
          message_id: string(row, 'message_id'),
          chat_hash: string(row, 'chat_hash'),
          kind: string(row, 'kind'),
          person_hash: string(row, 'person_hash'),
        }),
    },
  },
  {
    name: 'app_state',
    key: ['device_id', 'kind', 'jid_hash'],
    columns: {
      data: (row) =>
        appStateContext({
          device_id: number(row, 'device_id'),
          kind: string(row, 'kind'),
          jid_hash: string(row, 'jid_hash'),
        }),
    },
  },
  {
    name: 'groups',
    key: ['device_id', 'jid_hash'],
    columns: {
      data: (row) => groupContext({ device_id: number(row, 'device_id'), jid_hash: string(row, 'jid_hash') }),
    },
  },
  {
    name: 'suppressions',
    key: ['id'],
    more: ['user_id', 'number_hash', 'lid_hash'],
    columns: {
      data: (row) =>
        suppressionContext({
          user_id: number(row, 'user_id'),
          number_hash: row['number_hash'] === null ? null : string(row, 'number_hash'),
          lid_hash: row['lid_hash'] === null ? null : string(row, 'lid_hash'),
        }),
    },
  },
  {
    name: 'labels',
    key: ['device_id', 'id'],
    columns: { data: (row) => labelContext({ device_id: number(row, 'device_id'), id: string(row, 'id') }) },
  },
  named('chats', ['data', 'name']),
  named('contacts', ['data', 'saved', 'push_name', 'business_name', 'about', 'picture']),
  {
    name: 'events',
    key: ['device_id', 'seq'],
    columns: { data: (row) => eventContext(number(row, 'device_id'), number(row, 'seq')) },
  },
  {
    name: 'deliveries',
    key: ['device_id', 'seq', 'webhook_id'],
    columns: { last_detail: (row) => detailContext(deliveryKey(row)) },
  },
  {
    name: 'attempts',
    key: ['device_id', 'webhook_id', 'seq', 'at'],
    columns: { detail: (row) => attemptContext(deliveryKey(row), number(row, 'at')) },
  },
  {
    name: 'webhooks',
    key: ['id'],
    columns: { data: (row) => webhookContext(number(row, 'id')) },
  },
  {
    name: 'chat_turns',
    key: ['device_id', 'chat_hash'],
    columns: {
      data: (row) => chatTurnContext({ device_id: number(row, 'device_id'), chat_hash: string(row, 'chat_hash') }),
    },
  },
  { name: 'leases', key: ['device_id'], columns: { memo: (row) => memoContext(number(row, 'device_id')) } },
];
