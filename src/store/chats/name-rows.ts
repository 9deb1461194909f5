/** Inserts and changes rows of chats and contacts, one column at a time. */
import { type RawBuilder, sql as text } from 'kysely';
import type { Context } from '../base/context.ts';
import type { NameColumns, NamedTable } from '../sealing/rows.ts';
import { compiled } from '../base/statements.ts';
import { prepare, prepareRows } from '../base/unit.ts';

/** An existing row keeps its name, unless the new one has a LID. */
const keptName = (table: NamedTable): RawBuilder<unknown> => {
  const own = (column: string) => text.ref(`${table}.${column}`);
  return text`lid_hash = coalesce(excluded.lid_hash, ${own('lid_hash')}),
    data = case when excluded.lid_hash is null then ${own('data')} else excluded.data end`;
};

const nameColumns = text.join(['device_id', 'jid_hash', 'lid_hash', 'data'].map((column) => text.ref(column)));
const nameValues = (p: NameColumns) => text`${p.device_id}, ${p.jid_hash}, ${p.lid_hash}, ${p.data}`;

interface ColumnRow extends NameColumns {
  readonly value: unknown;
}

export const putColumn = (context: Context, table: NamedTable, column: string) =>
  prepareRows((rows: ColumnRow[]) =>
    compiled(
      context,
      text`insert into ${text.table(table)} (${nameColumns}, ${text.ref(column)})
        values ${text.join(rows.map((p) => text`(${nameValues(p)}, ${p.value})`))}
        on conflict (device_id, jid_hash) do update
        set ${keptName(table)}, ${text.ref(column)} = excluded.${text.ref(column)}`,
    ),
  );

export const dropColumn = (context: Context, table: NamedTable, column: string, empty: 0 | null) =>
  prepare((p: { device_id: number; jid_hash: string }) =>
    compiled(
      context,
      text`update ${text.table(table)} set ${text.ref(column)} = ${text.lit(empty)}
        where device_id = ${p.device_id} and jid_hash = ${p.jid_hash}`,
    ),
  );

export const dropAll = (context: Context, table: NamedTable, column: string, empty: 0 | null) =>
  prepare((p: { deviceId: number }) =>
    compiled(
      context,
      text`update ${text.table(table)} set ${text.ref(column)} = ${text.lit(empty)}
        where device_id = ${p.deviceId} and ${text.ref(column)} ${empty === 0 ? text`<> 0` : text`is not null`}`,
    ),
  );

interface ActivityRow extends NameColumns {
  readonly at: number;
  readonly unread: number;
}

export const putActivity = (context: Context) =>
  prepareRows((rows: ActivityRow[]) =>
    compiled(
      context,
      text`insert into chats (${nameColumns}, at, unread)
        values ${text.join(rows.map((p) => text`(${nameValues(p)}, ${p.at}, ${p.unread})`))}
        on conflict (device_id, jid_hash) do update
        set ${keptName('chats')}, at = ${text.raw(context.database.shared ? 'greatest' : 'max')}(chats.at, excluded.at),
          unread = chats.unread + excluded.unread`,
    ),
  );

export const makeChat = (context: Context) =>
  prepare((p: ActivityRow) =>
    compiled(
      context,
      text`insert into chats (${nameColumns}, at, unread) values (${nameValues(p)}, ${p.at}, ${p.unread})
        on conflict (device_id, jid_hash) do nothing`,
    ),
  );
