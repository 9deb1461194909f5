/** Migrations are run once, and the queries that must stay fast on a large store use their indexes. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { Kysely, sql as text } from 'kysely';
import { checkFolder } from '../../src/store/admin/check-migrations.ts';
import type { Schema } from '../../src/store/base/schema.ts';
import { migrate, migrationsOf } from '../../src/store/migrations/run.ts';
import { openStore } from '../../src/store/open-sqlite.ts';
import { sqliteTypes } from '../../src/store/sqlite/connection.ts';
import { SqliteDatabase } from '../../src/store/sqlite/sqlite.ts';
import { manualClock } from '../support/clock.ts';
import { openTestStore } from '../support/store.ts';
import { bytes, chatA, hook, received, record } from './contract/fixture.ts';

describe('migrations', () => {
  it('are run once, and a newer schema is refused', async () => {
    const store = await openTestStore();
    const schemaOf = (): unknown => {
      const database = new DatabaseSync(join(store.dataDir, 'handset.db'), { readOnly: true });
      const rows = database.prepare('select sql from sqlite_master order by name').all();
      database.close();
      return rows;
    };
    const before = schemaOf();
    await store.reopen();
    assert.deepEqual(schemaOf(), before);
    await store.stores.close();
    const database = new DatabaseSync(join(store.dataDir, 'handset.db'));
    database.exec("insert into kysely_migration values ('9999-future', '2030-01-01')");
    database.close();
    await assert.rejects(
      openStore({ dataDir: store.dataDir, secret: null }),
      /written by a newer version.*9999-future/s,
    );
    const undone = new DatabaseSync(join(store.dataDir, 'handset.db'));
    undone.exec("delete from kysely_migration where name = '9999-future'");
    undone.close();
    await store.reopen();
    await store.close();
  });
});

describe('the check of migrations', () => {
  const change = (dataDir: string, statement: string): void => {
    const database = new DatabaseSync(join(dataDir, 'handset.db'));
    database.exec(statement);
    database.close();
  };

  it('runs an expansion of a later version out of its order, beside which this version starts', async () => {
    const store = await openTestStore();
    const path = join(store.dataDir, 'handset.db');
    await store.stores.users.create('owner', 1, 0);
    await store.stores.close();
    const [ran, known] = [new Array<string>(), migrationsOf(sqliteTypes)];
    const expansion = (name: string) => ({
      up: async (db: Kysely<unknown>) => {
        ran.push(name);
        await text`alter table users add column ${text.ref(name)} text`.execute(db);
      },
    });
    const later = { '0003-later': expansion('later'), '0002-kept': expansion('kept') };
    for (const names of [['0003-later'], ['0003-later', '0002-kept'], ['0003-later', '0002-kept']] as const) {
      const database = new SqliteDatabase(path, 'process', () => undefined);
      const expansions = Object.fromEntries(names.map((name) => [name, later[name]]));
      await migrate(new Kysely<Schema>({ dialect: database.dialect() }), sqliteTypes, { ...known, expansions });
      await database.close();
    }
    assert.deepEqual(ran, ['later', 'kept']);
    assert.deepEqual(checkFolder(store.dataDir), { fresh: false, required: [], expansions: [], unknown: [] });
    await store.reopen();
    assert.equal((await store.stores.users.create('of this version', 1, 0)).name, 'of this version');
    assert.equal((await store.stores.users.list()).length, 2);
    await store.close();
  });

  it('tells what a start would run, and an addition of a later version keeps nobody from starting', async () => {
    const store = await openTestStore();
    const { dataDir } = store;
    const nothing = { fresh: false, required: [], expansions: [], unknown: [] };
    assert.deepEqual(checkFolder(dataDir), nothing, 'also while the service runs');
    await store.stores.close();
    change(dataDir, "insert into kysely_expansion values ('9998-later', '2030-01-01')");
    assert.deepEqual(checkFolder(dataDir), nothing);
    await store.reopen();
    await store.stores.close();
    change(dataDir, "insert into kysely_migration values ('9999-future', '2030-01-01')");
    assert.deepEqual(checkFolder(dataDir).unknown, ['9999-future']);
    change(dataDir, "delete from kysely_migration where name in ('9999-future', '0001-tables')");
    assert.deepEqual(checkFolder(dataDir).required, ['0001-tables']);
    assert.equal(checkFolder(join(dataDir, 'elsewhere')).fresh, true);
  });
});

/** Every statement that is prepared while `run` runs. */
const statementsOf = async (run: () => Promise<void>): Promise<readonly string[]> => {
  const { prepare } = DatabaseSync.prototype;
  const seen = new Set<string>();
  DatabaseSync.prototype.prepare = function spy(this: DatabaseSync, sql: string) {
    seen.add(sql);
    return prepare.call(this, sql);
  };
  try {
    await run();
  } finally {
    DatabaseSync.prototype.prepare = prepare;
  }
  return [...seen];
};

describe('a large outbox', () => {
  it('is claimed from by what is taken, and not by the 50,000 that wait', async () => {
    const clock = manualClock();
    const store = await openTestStore({ clock });
    const { stores } = store;
    const user = await stores.users.create('owner', 100, 0);
    const device = { userId: user.id, name: 'x', webhookEvents: ['message.received'] as const, ...hook };
    const { id } = await stores.devices.create(device, 0);
    for (let batch = 0; batch < 50; batch += 1) {
      // 20,000 chats, and 30,000 more behind their heads
      const events = Array.from({ length: 1000 }, (_, index) =>
        received(`M${batch}-${index}`, `${(batch * 1000 + index) % 20_000}@s.whatsapp.net`),
      );
      await stores.changes.commit(id, { facts: events });
    }
    // Of this process alone: the machine has other work, too.
    const began = process.cpuUsage();
    const rounds = 50;
    for (let round = 0; round < rounds; round += 1) {
      const now = clock.now();
      const due = await stores.outbox.claim({ now, leaseUntil: now + 1000, limit: 256, exceptWebhooks: [] });
      assert.equal(due.length, 32);
    }
    const { user: inUser, system } = process.cpuUsage(began);
    const each = (inUser + system) / 1_000 / rounds;
    // To look at all heads takes longer, and many times as long on a machine that is slow.
    assert.ok(each < 20, `${each.toFixed(1)} ms a claim`);
    await store.close();
  });
});

describe('the statements of the store', () => {
  it('use indexes for everything that grows', async () => {
    const clock = manualClock();
    const store = await openTestStore({ clock });
    const { stores } = store;
    const page = { limit: 10, cursor: null };
    const statements = await statementsOf(async () => {
      const user = await stores.users.create('owner', 100, 0);
      const device = { userId: user.id, name: 'x', webhookEvents: ['message.received'] as const, ...hook };
      const { id } = await stores.devices.create(device, 0);
      await stores.devices.list(user.id, page);
      const wish = { url: 'https://x.example/', events: ['message.received'], chats: null, headers: {} } as const;
      const more = { ...wish, enabled: true, ordered: true, settleSeconds: null };
      const webhook = await stores.webhooks.create(user.id, null, more);
      await stores.changes.commit(id, {
        credentials: bytes('c'),
        keys: [{ type: 'session', id: 'a', value: bytes('k') }],
        inbox: [{ key: 'ab', plaintext: bytes('p') }],
        messages: [record('M1'), record('M2')],
        messageChanges: [{ messageId: 'M1', chat: chatA, deletedAt: 5 }],
        facts: [received('M1'), received('M2')],
      });
      await stores.credentials.readKeys(id, 'session', ['a', 'b']);
      await stores.credentials.readInbox(id, 'ab');
      const first = await stores.messages.list(id, { limit: 1, cursor: null });
      await stores.messages.list(id, { limit: 1, cursor: first.nextCursor });
      await stores.messages.list(id, { limit: 1, cursor: first.nextCursor, chat: chatA });
      await stores.messages.find(id, 'M1');
      const pair = [{ type: 'lid-mapping', id: '4915112345678', value: bytes('98765432101234') }];
      await stores.changes.commit(id, {
        keys: pair,
        chats: [
          { chat: chatA, read: ['M1'], unread: 1 },
          { chat: 'x@g.us', name: 'G' },
        ],
        contacts: [{ jid: chatA, pushName: 'Ann', blocked: false }],
        appStateReset: ['archive', 'contact'],
        appState: [
          { kind: 'pin', jid: chatA, value: { at: 5 } },
          { kind: 'mute', jid: chatA, value: null },
        ],
      });
      const chats = await stores.chats.list(id, { limit: 1, cursor: null });
      for (const filter of [{ unread: true as const }, { archived: false }, { q: 'ann' }])
        await stores.chats.list(id, { limit: 1, cursor: chats.nextCursor, ...filter });
      await stores.chats.find(id, chatA);
      await stores.contacts.list(id, page);
      await stores.contacts.find(id, chatA);
      await stores.events.listAfter(id, { limit: 10, cursor: null });
      await stores.events.latestId(id);
      const now = clock.now();
      const [due] = await stores.outbox.claim({ now, leaseUntil: now + 1, limit: 9, exceptWebhooks: [] });
      const rest = {
        attempts: 1,
        nextAttemptAt: null,
        at: now,
        status: 500,
        error: null,
        durationMs: 1,
        response: null,
      };
      await stores.outbox.record([
        { seq: due!.seq, deviceId: id, webhookId: due!.webhookId, isPrimary: true, state: 'failed', ...rest },
      ]);
      const far = { limit: 9, cursor: null, state: 'failed' } as const;
      const { items } = await stores.outbox.list(null, far, webhook.id);
      assert.deepEqual(items, []);
      await stores.outbox.list(id, page, webhook.id);
      await stores.outbox.retryFailed(null, null, now, webhook.id);
      await stores.outbox.bringForward(webhook.id, now);
      await stores.webhooks.disable(webhook, now);
      await stores.outbox.nextDueAt();
      await stores.outbox.list(id, page);
      await stores.outbox.list(id, { ...page, state: 'failed' });
      await stores.outbox.retryFailed(id, null, now);
      await stores.outbox.retry(id, due!.id, now);
      await stores.outbox.claim({ now, leaseUntil: now + 1, limit: 9, exceptWebhooks: [] });
      await stores.idempotency.begin({ deviceId: id, key: 'k', fingerprint: 'f', messageId: 'm', runId: 'r', now });
      await stores.retention.prune({ events: now + 1, messages: now + 1, inbox: now + 1, idempotency: now + 1 });
      await stores.devices.delete(id);
    });
    await store.stores.close();
    const database = new DatabaseSync(join(store.dataDir, 'handset.db'), { readOnly: true });
    const queries = statements.filter((sql) => /^(select|update|delete|insert)/.test(sql));
    assert.ok(queries.length > 50, `${queries.length} statements`);
    for (const sql of queries) {
      const plan = database.prepare(`explain query plan ${sql}`).all();
      for (const { detail } of plan) {
        assert.doesNotMatch(
          String(detail),
          /^SCAN (?!webhook_queues USING COVERING INDEX webhook_queues_due|deliveries USING INDEX deliveries_claimed|json_each VIRTUAL TABLE|(\d+ )?CONSTANT ROW|\d+-ROW VALUES CLAUSE)|TEMP B-TREE/,
          sql,
        );
      }
    }
    database.close();
    await store.close();
  });
});
