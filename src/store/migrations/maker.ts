/**
 * Makes the statements of a migration. Columns are one text, as in SQL: `id identity, name text unique, at bigint?`. They are not null,
 * unless their type ends with `?` or they are `key`, the primary key. `zero`: their default. `devices.id cascade`: what they refer to.
 */
import { type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely, type Migration, sql } from 'kysely';
import type { ColumnTypes } from '../base/schema.ts';

interface Statement {
  execute(): Promise<unknown>;
}

const modified = (column: ColumnDefinitionBuilder, word: string): ColumnDefinitionBuilder => {
  if (word === 'key') return column.primaryKey();
  if (word === 'unique') return column.unique();
  if (word === 'zero') return column.defaultTo(0);
  return word === 'cascade' ? column.onDelete('cascade') : column.references(word);
};

const makerOf = (db: Kysely<unknown>, types: ColumnTypes) => {
  const { bytes, times } = types;
  const kinds = new Map(Object.entries({ text: sql`text`, integer: sql`integer`, bigint: sql`bigint`, bytes, times }));
  return {
    /** `key`: the columns of the primary key, if there are several. `parent`: the table whose row, of the same `key`, takes it along. */
    table: (name: string, columns: string, key?: string, parent?: { readonly name: string; readonly key: string }) => {
      let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
      for (const column of columns.split(/,\s+/)) {
        const [called, kind, ...words] = column.split(' ');
        if (kind === 'identity') table = table.addColumn(called!, types.id, types.identity);
        else {
          const isNullable = kind!.endsWith('?') || words.includes('key');
          table = table.addColumn(called!, kinds.get(kind!.replace('?', ''))!, (c) =>
            words.reduce(modified, isNullable ? c : c.notNull()),
          );
        }
      }
      if (key !== undefined) table = table.addPrimaryKeyConstraint(`${name}_pk`, key.split(' '));
      if (parent === undefined) return table;
      const same = parent.key.split(' ');
      return table.addForeignKeyConstraint(`${name}_of`, same, parent.name, same, (c) => c.onDelete('cascade'));
    },
    /** `present`: only rows that have it are listed. */
    index: (name: string, table: string, columns: string, present?: string) => {
      const index = db.schema.createIndex(name).on(table).columns(columns.split(' '));
      return present === undefined ? index : index.where(sql.ref(present), 'is not', null);
    },
    column: (table: string, name: string, kind: 'text' | 'bigint') => db.schema.alterTable(table).addColumn(name, kind),
    raw: (statements: readonly string[]): Statement[] =>
      statements.map((each) => ({ execute: () => sql.raw(each).execute(db) })),
  };
};

export type Maker = ReturnType<typeof makerOf>;

export const migration = (types: ColumnTypes, statements: (maker: Maker) => readonly Statement[]): Migration => ({
  up: async (db: Kysely<unknown>) => {
    for (const statement of statements(makerOf(db, types))) await statement.execute();
  },
});
