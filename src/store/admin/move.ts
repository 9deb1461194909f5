/** Moves the data of a folder to an empty PostgreSQL: one transaction, read back and compared before it is committed. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lockFolder } from '../sqlite/lock.ts';
import { assertSecret } from '../sealing/data-markers.ts';
import { migrate } from '../migrations/run.ts';
import { openStore } from '../open-sqlite.ts';
import { withPostgres } from '../open-postgres.ts';
import { postgresTypes } from '../postgres/postgres.ts';
import { loadSecret } from '../sealing/secret.ts';
import type { Unit } from '../base/unit.ts';

/** Referenced rows first. */
const tables = [
  'meta',
  'generation',
  'users',
  'api_keys',
  'sign_ins',
  'devices',
  'credentials',
  'signal_keys',
  'inbox',
  'messages',
  'annotations',
  'kept_media',
  'app_state',
  'chats',
  'contacts',
  'groups',
  'look_ups',
  'new_chats',
  'suppressions',
  'events',
].concat(
  ['webhooks', 'webhook_queues', 'delivery_queues', 'deliveries', 'attempts'],
  ['chat_turns', 'idempotency', 'scheduled', 'scheduled_files', 'creations', 'labels', 'label_marks', 'audit'],
  ['statuses', 'status_viewers'],
);
const ofNodes = new Set(['nodes', 'leases', 'rates']);
const counted = {
  users: 'id',
  api_keys: 'id',
  devices: 'id',
  messages: 'n',
  audit: 'id',
  webhooks: 'id',
  suppressions: 'id',
};
const batchSize = 200;

type Row = Readonly<Record<string, unknown>>;

class Digest {
  #sum = 0n;
  count = 0;

  add(row: Row, columns: readonly string[]): void {
    const plain = columns.map((column) => {
      const value = row[column];
      return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
    });
    this.#sum += BigInt(`0x${createHash('sha256').update(JSON.stringify(plain)).digest('hex')}`);
    this.count += 1;
  }

  get value(): string {
    return `${this.count}/${this.#sum}`;
  }
}

const columnsOf = (source: DatabaseSync, table: string): string[] =>
  source
    .prepare(`select name from pragma_table_info('${table}')`)
    .all()
    .map((row) => String(row['name']));

const assertComplete = (source: DatabaseSync): void => {
  const found = source
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%'",
    )
    .all()
    .map((row) => String(row['name']));
  const unknown = found.filter((name) => !tables.includes(name) && !ofNodes.has(name));
  if (unknown.length > 0) throw new Error(`The data has tables that cannot be moved: ${unknown.join(', ')}`);
};

function* insert(table: string, columns: readonly string[], rows: readonly Row[]): Unit<void> {
  if (rows.length === 0) return;
  const places = rows.map((_, r) => `(${columns.map((__, c) => `$${r * columns.length + c + 1}`).join(',')})`);
  const names = columns.map((column) => `"${column}"`).join(',');
  const values = rows.flatMap((row) => columns.map((column) => row[column]));
  yield { sql: `insert into "${table}" (${names}) values ${places.join(',')}`, values };
}

export type Moved = (table: string, done: number, total: number) => void;

const rowsIn = (source: DatabaseSync, table: string): number =>
  Number(source.prepare(`select count(*) as n from "${table}"`).get()?.['n']);

function* copyTable(source: DatabaseSync, table: string, moved: Moved): Unit<number> {
  const columns = columnsOf(source, table);
  const total = rowsIn(source, table);
  const sent = new Digest();
  let batch: Row[] = [];
  for (const row of source.prepare(`select * from "${table}"`).iterate()) {
    sent.add(row, columns);
    batch.push(row);
    if (batch.length < batchSize) continue;
    moved(table, sent.count, total);
    yield* insert(table, columns, batch);
    batch = [];
  }
  yield* insert(table, columns, batch);
  const kept = new Digest();
  yield { sql: `declare moved no scroll cursor for select * from "${table}"`, values: [] };
  for (;;) {
    const rows: Row[] = yield { sql: `fetch ${batchSize} from moved`, values: [] };
    for (const row of rows) kept.add(row, columns);
    if (rows.length < batchSize) break;
  }
  yield { sql: 'close moved', values: [] };
  if (kept.value !== sent.value) throw new Error(`The rows of ${table} read back are not those that were written`);
  return sent.count;
}

/** Continues the id counters and marks linked devices to be taken over by a node. */
function* continueFrom(source: DatabaseSync): Unit<void> {
  for (const [table, column] of Object.entries(counted)) {
    const row = source.prepare('select seq from sqlite_sequence where name = ?').get(table);
    if (row === undefined) continue;
    const text = `select setval(pg_get_serial_sequence('${table}', '${column}'), $1::bigint)`;
    yield { sql: text, values: [Math.max(1, Number(row['seq']))] };
  }
  const devices = 'select id, null, 0, 1 from devices where deleted = 0 and active = 1 and account is not null';
  yield { sql: `insert into leases (device_id, node, epoch, wanted) ${devices}`, values: [] };
}

function* copyAll(source: DatabaseSync, moved: Moved): Unit<Readonly<Record<string, number>>> {
  const users: Row[] = yield { sql: 'select id from users limit 1', values: [] };
  if (users.length > 0) throw new Error('The PostgreSQL database has data already: use an empty one');
  yield { sql: 'delete from meta', values: [] };
  yield { sql: 'delete from generation', values: [] };
  const counts: Record<string, number> = {};
  for (const table of tables) counts[table] = yield* copyTable(source, table, moved);
  yield* continueFrom(source);
  return counts;
}

/** The service must be stopped; the folder stays as it is. Returns the number of rows per table. */
export const moveToPostgres = async (
  dataDir: string,
  givenSecret: string | null,
  databaseUrl: string,
  moved: Moved = () => undefined,
): Promise<Readonly<Record<string, number>>> => {
  // Checks the secret, migrates the schema and frees claims left by a crash.
  await (await openStore({ dataDir, secret: givenSecret })).close();
  const lock = lockFolder(dataDir, join(dataDir, 'lock'));
  const source = new DatabaseSync(join(dataDir, 'handset.db'), { readOnly: true });
  try {
    assertComplete(source);
    return await withPostgres(databaseUrl, loadSecret(dataDir, givenSecret, false), async (context) => {
      await migrate(context.sql, postgresTypes);
      const counts = await context.database.write(() => copyAll(source, moved));
      await assertSecret(context, 'the PostgreSQL database');
      return counts;
    });
  } finally {
    source.close();
    lock.release();
  }
};
