/** How queries are put to SQLite. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { mock, test } from 'node:test';
import { Kysely } from 'kysely';
import type { SessionChanges } from '../../src/domain/changes.ts';
import type { Schema } from '../../src/store/base/schema.ts';
import { dialectOf } from '../../src/store/sqlite/connection.ts';
import { manualClock } from '../support/clock.ts';
import { quietGroup } from '../support/groups.ts';
import { openTestStore, type TestStore } from '../support/store.ts';
import { bytes, record } from './contract/fixture.ts';

test('a limit is no plain parameter, by whose value SQLite would plan each execution anew', () => {
  const sql = new Kysely<Schema>({ dialect: dialectOf(new DatabaseSync(':memory:')) });
  const { sql: text, parameters } = sql.selectFrom('users').select('id').orderBy('id').limit(3).compile();
  assert.equal(text, 'select "id" from "users" order by "id" limit cast(? as integer)');
  assert.deepEqual(parameters, [3]);
});

const phone = (n: number): string => `${4_915_700_000_000 + n}@s.whatsapp.net`;
const lid = (n: number): string => `${900_000_000_000 + n}@lid`;

/** Chats of people, each with a message and a contact, and as many pairs of number and LID. */
const people = (count: number): SessionChanges => {
  const all = Array.from({ length: count }, (_, n) => n);
  const user = (jid: string): string => jid.split('@')[0]!;
  return {
    keys: all.flatMap((n) => [
      { type: 'lid-mapping', id: user(phone(n)), value: bytes(user(lid(n))) },
      { type: 'lid-mapping', id: `${user(lid(n))}_reverse`, value: bytes(user(phone(n))) },
    ]),
    messages: all.map((n) => record(`M${n}`, { chat: phone(n), chatLid: lid(n), direction: 'in', timestamp: n })),
    contacts: all.map((n) => ({ jid: phone(n), lid: lid(n), pushName: `Person ${n}` })),
  };
};

/** The statements that run while a store is asked, by their texts. */
const statementsOf = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
  const calls = (['all', 'run'] as const).map((method) => mock.method(StatementSync.prototype, method));
  try {
    await run();
    return calls.flatMap(({ mock: { calls: made } }) => made.map((call) => (call.this as StatementSync).sourceSQL));
  } finally {
    for (const call of calls) call.mock.restore();
  }
};

const planOf = ({ dataDir }: TestStore, statement: string): readonly string[] => {
  const file = new DatabaseSync(join(dataDir, 'handset.db'), { readOnly: true });
  try {
    return file
      .prepare(`explain query plan ${statement}`)
      .all()
      .map(({ detail }) => String(detail));
  } finally {
    file.close();
  }
};

test('chats and contacts are found by an index, and a page reads no more rows than it has', async () => {
  const clock = manualClock();
  const store = await openTestStore({ clock });
  try {
    const { stores } = store;
    const user = await stores.users.create('owner', 1, 0);
    const { id } = await stores.devices.create({ userId: user.id, name: 'P', webhookUrl: null, webhookEvents: [] }, 0);
    await stores.changes.commit(id, people(3));
    const group = record('G', { chat: quietGroup.jid, chatNumber: null, isGroup: true });
    await stores.changes.commit(id, { messages: [group], groups: [quietGroup] });
    const pages = [
      {},
      { q: 'o' },
      { unread: true as const },
      { archived: true },
      { archived: false, unread: true as const },
    ];
    const page = async (filter: object): Promise<void> => {
      const first = await stores.chats.list(id, { limit: 2, cursor: null, ...filter });
      if (first.nextCursor !== null) await stores.chats.list(id, { limit: 100, cursor: first.nextCursor, ...filter });
    };
    const statements = await statementsOf(async () => {
      for (const filter of pages) await page(filter);
      await stores.chats.find(id, phone(1));
      await stores.contacts.find(id, lid(2));
      await stores.contacts.list(id, { limit: 2, cursor: null });
      await stores.changes.commit(id, people(5));
    });
    const named = statements.filter((text) => /^\s*select.*\b(chats|contacts|groups)\b/s.test(text));
    assert.ok(named.length >= 12, `${named.length}`);
    assert.ok(named.some((text) => text.includes('"groups"')));
    for (const text of named) {
      const plan = planOf(store, text);
      // A page is read off the index in its order, and ends with its limit.
      const isPage = text.endsWith('limit cast(? as integer)') && /order by/.test(text);
      const whole = isPage ? /^SCAN|TEMP B-TREE/ : /^SCAN|TEMP B-TREE|\(device_id=\?\)/;
      assert.deepEqual(
        plan.filter((step) => whole.test(step)),
        [],
        text,
      );
    }
    const count = async (limit: number): Promise<number> =>
      (await statementsOf(() => stores.chats.list(id, { limit, cursor: null }))).length;
    const few = await count(2);
    await stores.changes.commit(id, people(60));
    assert.equal(await count(60), few, 'no statement for each chat');
  } finally {
    await store.close();
  }
});
