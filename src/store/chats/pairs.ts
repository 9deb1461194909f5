/** Merges rows when a pair of phone number and LID is learned. If the LID belonged to another number, that number loses it. */
import { type Expression, sql as text } from 'kysely';
import type { Context } from '../base/context.ts';
import { compiled } from '../base/statements.ts';
import type { Pair } from '../messages/resolve.ts';
import { type NamedTable, makeNameColumns, type NameColumns, nameHash } from '../sealing/rows.ts';
import { contextIn, contextOf, type SealedJson } from '../sealing/sealer.ts';
import { type Unit, all } from '../base/unit.ts';

type Row = NameColumns & Readonly<Record<string, unknown>>;

/** Sealed columns, and how the other columns of two rows are merged. */
interface Kind {
  readonly table: NamedTable;
  readonly sealed: readonly string[];
  readonly join: Readonly<Record<string, (one: number, other: number) => number>>;
  readonly firstOf: readonly string[];
}

const kinds: readonly Kind[] = [
  {
    table: 'chats',
    sealed: ['name'],
    join: { at: Math.max, unread: (one, other) => one + other, archived: Math.max },
    firstOf: ['pinned_at', 'muted_until'],
  },
  {
    table: 'contacts',
    sealed: ['saved', 'push_name', 'business_name', 'about', 'picture'],
    join: { blocked: Math.max },
    firstOf: [],
  },
];

const batch = 100;

const values = (hashes: readonly string[]): Expression<unknown> => text`(${text.join(hashes)})`;

const where = (row: Row) => text`device_id = ${row.device_id} and jid_hash = ${row.jid_hash}`;

const statementsOf = (context: Context, table: NamedTable) => {
  return {
    find: (deviceId: number, lids: readonly string[], phones: readonly string[]) =>
      compiled(
        context,
        // Both sides name the device: otherwise SQLite scans all its rows.
        text`select * from ${text.table(table)}
          where (device_id = ${deviceId} and jid_hash in ${values([...lids, ...phones])})
            or (device_id = ${deviceId} and lid_hash in ${values(lids)})
          ${text.raw(context.database.shared ? 'for update' : '')}`,
      ),
    set: (row: Row, columns: Readonly<Record<string, unknown>>) => {
      const set = text.join(Object.entries(columns).map(([column, value]) => text`${text.ref(column)} = ${value}`));
      return compiled(context, text`update ${text.table(table)} set ${set} where ${where(row)}`);
    },
    remove: (row: Row) => compiled(context, text`delete from ${text.table(table)} where ${where(row)}`),
    insert: (columns: Readonly<Record<string, unknown>>) => {
      const names = text.join(Object.keys(columns).map((column) => text.ref(column)));
      return compiled(
        context,
        text`insert into ${text.table(table)} (${names}) values (${text.join(Object.values(columns))})`,
      );
    },
  };
};

const makeJoin = ({ sealer }: Context, { table, sealed, join, firstOf }: Kind) => {
  const rest = [...Object.keys(join), ...firstOf, ...sealed];
  const resealed = (column: string, from: Row, to: NameColumns): Uint8Array => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a sealed column of the row
    const value: string = sealer.openJson(from[column] as SealedJson<string>, contextIn(`${table}.${column}`, from));
    return sealer.sealJson(value, contextIn(`${table}.${column}`, to));
  };
  return (name: NameColumns, from: Row, to: Row | undefined): Record<string, unknown> => {
    const columns: Record<string, unknown> = {};
    for (const column of rest) {
      const [one, other] = [from[column] ?? null, to?.[column] ?? null];
      const joinNumbers = join[column];
      if (joinNumbers !== undefined) columns[column] = joinNumbers(Number(one ?? 0), Number(other ?? 0));
      else if (other !== null || one === null || firstOf.includes(column)) columns[column] = other ?? one;
      else columns[column] = resealed(column, from, name);
    }
    return columns;
  };
};

const ofKind = (context: Context, kind: Kind) => {
  const { sealer } = context;
  const { table } = kind;
  const nameColumns = makeNameColumns(sealer, table);
  const { find, set, remove, insert } = statementsOf(context, table);
  const joined = makeJoin(context, kind);

  function* apply(deviceId: number, { phone, lid }: Pair, rows: Map<string, Row>): Unit<void> {
    const name = nameColumns(deviceId, phone, lid);
    const [from, to] = [rows.get(name.lid_hash!), rows.get(name.jid_hash)];
    for (const former of rows.values()) {
      if (former.lid_hash !== name.lid_hash || former.jid_hash === name.jid_hash) continue;
      const { jid } = sealer.openJson(former.data, contextOf(`${table}.data`, former));
      const { data } = nameColumns(deviceId, jid, null);
      yield* all(set(former, { lid_hash: null, data }));
      rows.set(former.jid_hash, { ...former, lid_hash: null, data });
    }
    if (from === undefined) {
      if (to === undefined || to.lid_hash === name.lid_hash) return;
      yield* all(set(to, { lid_hash: name.lid_hash, data: name.data }));
      rows.set(name.jid_hash, { ...to, ...name });
      return;
    }
    const columns = { ...joined(name, from, to), lid_hash: name.lid_hash, data: name.data };
    yield* all(remove(from));
    rows.delete(from.jid_hash);
    yield* all(to === undefined ? insert({ ...name, ...columns }) : set(to, columns));
    rows.set(name.jid_hash, { ...name, ...columns });
  }

  return function* learn(deviceId: number, pairs: readonly Pair[]): Unit<void> {
    const hash = (jid: string): string => nameHash(sealer, deviceId, jid);
    const lids = pairs.map(({ lid }) => hash(lid));
    const phones = pairs.map(({ phone }) => hash(phone));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns of the table
    const found = (yield* all(find(deviceId, lids, phones))) as Row[];
    if (found.length === 0) return;
    const rows = new Map(found.map((row) => [row.jid_hash, row]));
    for (const pair of pairs) yield* apply(deviceId, pair, rows);
  };
};

export const pairLearner = (context: Context) => {
  const learners = kinds.map((kind) => ofKind(context, kind));
  return function* learn(deviceId: number, pairs: readonly Pair[]): Unit<void> {
    for (let start = 0; start < pairs.length; start += batch)
      for (const each of learners) yield* each(deviceId, pairs.slice(start, start + batch));
  };
};
