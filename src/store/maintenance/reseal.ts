/** Reseals every sealed value with another secret, a few rows in a transaction; skips values that are done already. */
import { type Compilable, sql as text } from 'kysely';
import { credentialsContext, inboxContext } from '../devices/credentials.ts';
import type { Context } from '../context.ts';
import { accountContext, proxyContext } from '../devices/device-rows.ts';
import { keyContext } from '../devices/keys.ts';
import { memoContext } from '../cluster/leases.ts';
import {
  annotationContext,
  appStateContext,
  attemptContext,
  detailContext,
  eventContext,
  messageContext,
} from '../sealing/rows.ts';
import { suppressionContext } from '../chats/suppressions.ts';
import { groupContext } from '../groups/table.ts';
import { answerContext } from '../messages/idempotency.ts';
import { piecesContext } from '../messages/kept-media.ts';
import { nameContext } from '../sealing/names.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { type Unit, all } from '../unit.ts';
import { chatTurnContext, turnContext, webhookContext } from '../webhooks/tables.ts';
import { secretContext, urlContext } from '../outbox/webhooks.ts';

/** A row of a sealed table: its key columns and its envelopes. */
// oxlint-disable-next-line typescript/no-redundant-type-constituents -- what the columns are is the table's business
type Row = Readonly<Record<string, number | string | Uint8Array | null>>;

export interface SealedTable {
  readonly name: string;
  /** The columns that tell its rows apart, in the order of an index. */
  readonly key: readonly string[];
  /** Columns that the context needs beside the key. */
  readonly more?: readonly string[];
  /** The envelopes, and the context of each. */
  readonly columns: Readonly<Record<string, (row: Row) => string>>;
}

const number = (row: Row, column: string): number => Number(row[column]);
const string = (row: Row, column: string): string => String(row[column]);

const messageKey = (row: Row) => ({
  device_id: number(row, 'device_id'),
  chat_hash: string(row, 'chat_hash'),
  id: string(row, 'id'),
});

/** A table of chats or contacts, with its sealed columns. */
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
      webhook_url: (row) => urlContext(number(row, 'id')),
      webhook_secret: (row) => secretContext(number(row, 'id')),
      previous_secret: (row) => secretContext(number(row, 'id')),
      account: (row) => accountContext(number(row, 'id')),
      proxy: (row) => proxyContext(number(row, 'id')),
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
  named('chats', ['data', 'name']),
  named('contacts', ['data', 'saved', 'push_name', 'business_name', 'about', 'picture']),
  {
    name: 'events',
    key: ['device_id', 'seq'],
    columns: { data: (row) => eventContext(number(row, 'device_id'), number(row, 'seq')) },
  },
  {
    name: 'deliveries',
    key: ['device_id', 'seq'],
    columns: { last_detail: (row) => detailContext(number(row, 'device_id'), number(row, 'seq')) },
  },
  {
    name: 'attempts',
    key: ['device_id', 'seq', 'at'],
    columns: { detail: (row) => attemptContext(number(row, 'device_id'), number(row, 'seq'), number(row, 'at')) },
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
  {
    name: 'turns',
    key: ['device_id', 'chat_hash', 'settle_seconds'],
    columns: {
      data: (row) =>
        turnContext({
          device_id: number(row, 'device_id'),
          chat_hash: string(row, 'chat_hash'),
          settle_seconds: number(row, 'settle_seconds'),
        }),
    },
  },
  {
    name: 'webhook_deliveries',
    key: ['device_id', 'seq', 'webhook_id'],
    columns: {
      last_detail: (row) => detailContext(number(row, 'device_id'), number(row, 'seq'), number(row, 'webhook_id')),
    },
  },
  {
    name: 'webhook_attempts',
    key: ['device_id', 'webhook_id', 'seq', 'at'],
    columns: {
      detail: (row) =>
        attemptContext(number(row, 'device_id'), number(row, 'seq'), number(row, 'at'), number(row, 'webhook_id')),
    },
  },
  { name: 'leases', key: ['device_id'], columns: { memo: (row) => memoContext(number(row, 'device_id')) } },
];

const batch = 200;

const refs = (columns: readonly string[]) => text.join(columns.map((column) => text.ref(column)));

const page = ({ sql }: Context, { name, key, more = [], columns }: SealedTable, after: Row | null) => {
  const wanted = refs([...key, ...more, ...Object.keys(columns)]);
  const beyond =
    after === null ? text`` : text`where (${refs(key)}) > (${text.join(key.map((column) => after[column]))})`;
  const query = text<Row>`select ${wanted} from ${text.table(name)} ${beyond} order by ${refs(key)} limit ${text.lit(batch)}`;
  return compilable(query.compile(sql));
};

const compilable = <R>(compiled: ReturnType<Compilable<R>['compile']>): Compilable<R> => ({ compile: () => compiled });

const update = ({ sql }: Context, { name, key }: SealedTable, row: Row, set: Readonly<Record<string, Uint8Array>>) => {
  const values = text.join(Object.entries(set).map(([column, value]) => text`${text.ref(column)} = ${value}`));
  const where = text.join(
    key.map((column) => text`${text.ref(column)} = ${row[column]}`),
    text` and `,
  );
  return compilable(text`update ${text.table(name)} set ${values} where ${where}`.compile(sql));
};

/** The rows of a table, by pages in the order of its key. */
const walk = async (
  context: Context,
  table: SealedTable,
  use: (rows: readonly Row[]) => Promise<void>,
): Promise<void> => {
  let last: Row | null = null;
  do {
    const after: Row | null = last;
    const rows: Row[] = await context.database.read(() => all(page(context, table, after)));
    if (rows.length > 0) await use(rows);
    last = rows.length === batch ? rows.at(-1)! : null;
  } while (last !== null);
};

const envelopes = ({ columns }: SealedTable, row: Row) =>
  Object.entries(columns).flatMap(([column, contextOf]) => {
    const envelope = row[column];
    return envelope instanceof Uint8Array ? [{ column, envelope, context: contextOf(row) }] : [];
  });

/** Returns how many values were resealed. */
export const resealAll = async (context: Context, from: Sealer, to: Sealer): Promise<number> => {
  let count = 0;
  function* reseal(table: SealedTable, rows: readonly Row[]): Unit<void> {
    for (const row of rows) {
      const old = envelopes(table, row).filter(({ envelope }) => !to.made(envelope));
      if (old.length === 0) continue;
      const set = Object.fromEntries(
        old.map(({ column, envelope, context: name }) => [column, to.seal(from.open(envelope, name), name)]),
      );
      yield* all(update(context, table, row, set));
      count += old.length;
    }
  }
  for (const table of sealedTables) {
    await walk(context, table, (rows) => context.database.write(() => reseal(table, rows)));
  }
  return count;
};

/** Opens every value and returns how many there are. Throws SealBroken for the first one that does not open. */
export const verifyAll = async (context: Context, sealer: Sealer): Promise<number> => {
  let count = 0;
  for (const table of sealedTables) {
    await walk(context, table, async (rows) => {
      for (const row of rows) {
        for (const { envelope, context: name } of envelopes(table, row)) {
          sealer.open(envelope, name);
          count += 1;
        }
      }
    });
  }
  return count;
};
