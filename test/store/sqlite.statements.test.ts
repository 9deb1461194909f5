/** How queries are put to SQLite. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Kysely } from 'kysely';
import type { Schema } from '../../src/store/schema.ts';
import { dialectOf } from '../../src/store/sqlite/connection.ts';

test('a limit is no plain parameter, by whose value SQLite would plan each execution anew', () => {
  const sql = new Kysely<Schema>({ dialect: dialectOf(new DatabaseSync(':memory:')) });
  const { sql: text, parameters } = sql.selectFrom('users').select('id').orderBy('id').limit(3).compile();
  assert.equal(text, 'select "id" from "users" order by "id" limit cast(? as integer)');
  assert.deepEqual(parameters, [3]);
});
