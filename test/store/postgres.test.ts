/** The contract of the store on a real PostgreSQL, as one node of several uses it: authentication state is written under a lease. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import type { ChangeStore, Stores } from '../../src/domain/stores.ts';
import { type SharedState, inspectShared, rotateSharedSecret } from '../../src/store/admin/shared-database.ts';
import { isUnavailable } from '../../src/errors.ts';
import { openPostgresStore } from '../../src/store/open-postgres.ts';
import { PostgresDatabase } from '../../src/store/postgres/postgres.ts';
import type { Unit } from '../../src/store/base/unit.ts';
import type { ManualClock } from '../support/clock.ts';
import { type TestPostgres, startPostgres } from '../support/postgres.ts';
import { startProxy } from '../support/proxies/proxy.ts';
import { eventually } from '../support/wait.ts';
import { clusterContract } from './contract/cluster.ts';
import { storeContract } from './contract/contract.ts';
import { received } from './contract/fixture.ts';
import { check, fill } from './support/sealed.ts';
import { logOf } from '../support/event-log.ts';

let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.close());

/** The ports of a node that takes each device as it writes to it. */
const leased = (stores: Stores): Stores => {
  const epochs = new Map<number, Promise<number>>();
  const leases = stores.cluster!.leases;
  const epochOf = (deviceId: number): Promise<number> => {
    const known = epochs.get(deviceId);
    if (known !== undefined) return known;
    const taken = leases.acquire('node', deviceId).then((given) => (given.kind === 'held' ? given.lease.epoch : -1));
    epochs.set(deviceId, taken);
    return taken;
  };
  const { changes } = stores;
  const wrapped: ChangeStore = {
    commit: async (id, given) => changes.commit(id, given, await epochOf(id)),
    clearCredentials: async (id, given) => changes.clearCredentials(id, given, await epochOf(id)),
  };
  return { ...stores, changes: wrapped };
};

const secret = 'the secret of the contract, long enough';

storeContract(async (clock: ManualClock) => {
  const databaseUrl = await postgres.database();
  const open = async (): Promise<Stores> => {
    const stores = await openPostgresStore({ databaseUrl, secret, connections: 3, clock });
    await stores.cluster!.leases.renew({ id: 'node', url: 'http://node', draining: false });
    return leased(stores);
  };
  let stores = await open();
  return {
    get stores() {
      return stores;
    },
    async reopen() {
      await stores.close();
      stores = await open();
      return stores;
    },
    async execute(statement) {
      const client = new Client(databaseUrl);
      await client.connect();
      await client.query(statement);
      await client.end();
    },
    async bytesIn(table) {
      const client = new Client(databaseUrl);
      await client.connect();
      const { rows } = await client.query(`select sum(pg_column_size(t)) as bytes from "${table}" t`);
      await client.end();
      return Number(rows[0].bytes);
    },
    async close() {
      await stores.close();
      await postgres.release(databaseUrl);
    },
  };
});

clusterContract(async () => {
  const databaseUrl = await postgres.database();
  return {
    open: () => openPostgresStore({ databaseUrl, secret, connections: 4 }),
    release: () => postgres.release(databaseUrl),
  };
});

test('a database that goes away in the middle of a commit stops no process, and the commit is made when it is back', async () => {
  const databaseUrl = await postgres.database();
  // The commit waits for the lock until the server goes, however long a busy machine takes for that.
  const patient = `${databaseUrl}?lock_timeout=0&statement_timeout=0`;
  const stores = await openPostgresStore({ databaseUrl: patient, secret, connections: 4 });
  try {
    const user = await stores.users.create('owner', 10, 0);
    const wish = { userId: user.id, name: 'Phone', webhookUrl: null, webhookEvents: ['call' as const] };
    const { id } = await stores.devices.create(wish, 0);
    const blocker = new Client(databaseUrl);
    blocker.on('error', () => undefined);
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('select id from devices for update');
    const written = stores.changes.commit(id, { facts: [received('M1')] });
    await eventually('the commit waits for a lock', async () => {
      const { rows } = await blocker.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length > 0;
    });
    await postgres.stop();
    await postgres.start();
    assert.equal((await written).length, 1);
    // It may have been made just before the database went: then nobody has asked yet whether it is back.
    const events = await eventually('the database to be known as back', () =>
      logOf(stores.events, id).catch(() => null),
    );
    assert.equal(events.length, 1);
  } finally {
    await stores.close();
  }
});

test('a key that is finished while it is asked for again is done, and not running', async () => {
  const databaseUrl = await postgres.database();
  const stores = await openPostgresStore({ databaseUrl, secret, connections: 4 });
  const blocker = new Client(databaseUrl);
  await blocker.connect();
  try {
    const { id: userId } = await stores.users.create('tester', 10, Date.now());
    const made = { userId, name: 'one', webhookUrl: null, webhookEvents: [] };
    const { id: deviceId } = await stores.devices.create(made, Date.now());
    const entry = { deviceId, key: 'k', fingerprint: 'f', messageId: 'M1', now: Date.now() };
    assert.deepEqual(await stores.idempotency.begin({ ...entry, runId: 'first' }), { kind: 'new', messageId: 'M1' });
    // Whoever takes the key over waits until this lock is free; what the blocker does itself does not.
    await blocker.query(`create function wait_for_lock() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(77); return null; end'`);
    await blocker.query(
      'create trigger held before update on idempotency for each statement execute function wait_for_lock()',
    );
    await blocker.query("select pg_advisory_lock(77), set_config('session_replication_role', 'replica', false)");
    const again = stores.idempotency.begin({ ...entry, runId: 'second', messageId: 'M2' });
    await eventually('it waits for a lock', async () => {
      const { rows } = await blocker.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length > 0;
    });
    await blocker.query('update idempotency set done = 1');
    await blocker.query('select pg_advisory_unlock(77)');
    assert.deepEqual(await again, { kind: 'done', messageId: 'M1', answer: null });
  } finally {
    await blocker.end();
    await stores.close();
  }
});

test('a commit that the server answers with the order to stop was not done, and is made again', async () => {
  const database = new PostgresDatabase(await postgres.database(), 2, () => undefined);
  const client = await database.connect();
  try {
    await client.query(`
      create table notes (text text);
      create sequence commits;
      create function stop_once() returns trigger language plpgsql as $$ begin
        if nextval('commits') = 1 then perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(1); end if;
        return null;
      end $$;
      create constraint trigger stop_once after insert on notes deferrable initially deferred
        for each row execute function stop_once()`);
    const note = function* (): Unit<void> {
      yield { sql: 'insert into notes values ($1)', values: ['once'] };
    };
    await assert.rejects(database.write(note), { name: 'Unavailable', retryAfterSeconds: 5 });
    await client.query("select setval('commits', 1, false)");
    await database.write(note, { unreachableMs: 5_000 });
    assert.equal((await client.query('select text from notes')).rows.length, 1);
  } finally {
    await client.end();
    await database.close();
  }
});

test('a database that falls silent: who cannot wait is told so, and nothing of that is done later; who can wait goes on', async () => {
  const proxy = await startProxy();
  const way = new URL(await postgres.database());
  proxy.lead(Number(way.port));
  way.port = String(proxy.port);
  const database = new PostgresDatabase(String(way), 4, () => undefined, { silentMs: 300, probeMs: 500, againMs: 20 });
  try {
    const say = (statement: string, ...values: unknown[]) =>
      function* (): Unit<readonly { readonly text: string }[]> {
        return yield { sql: statement, values };
      };
    const waits = 60_000;
    await database.write(say('create table notes (text text)'), { unreachableMs: waits });
    const texts = async () => (await database.read(say('select text from notes'), waits)).map(({ text }) => text);
    const write = (text: string, unreachableMs = 0) =>
      database.write(say('insert into notes values ($1)', text), { unreachableMs });
    await write('before', waits);
    for (const how of ['hang', 'refuse'] as const) {
      proxy[how]();
      const patient = write(`patient ${how}`, waits);
      const away = { name: 'Unavailable', retryAfterSeconds: 5 };
      await assert.rejects(write(`impatient ${how}`), away);
      await assert.rejects(database.read(say('select text from notes')), away);
      const told = await new Promise((resolve) => database.health.watch(50, resolve));
      assert.ok(isUnavailable(told));
      proxy.restore();
      await patient;
      await eventually('it is there', () => database.health.away === null);
      assert.equal((await texts()).at(-1), `patient ${how}`);
    }
    assert.deepEqual(await texts(), ['before', 'patient hang', 'patient refuse']);
  } finally {
    await database.close();
    await proxy.close();
  }
});

test('a rotation of the secret seals everything anew, while no node runs, and goes on where it was cut off', async () => {
  const databaseUrl = await postgres.database();
  const rotate = (from: string, to: string | null, last?: string) =>
    rotateSharedSecret({
      databaseUrl,
      secret: from,
      newSecret: to,
      step: (name) => {
        if (name === last) throw new Error('the power is out');
      },
    });
  const start = async (own: string): Promise<Stores> => {
    const stores = await openPostgresStore({ databaseUrl, secret: own, connections: 4 });
    await stores.cluster!.leases.renew({ id: 'node', url: 'http://node:8080', draining: false });
    return leased(stores);
  };
  const stop = async (stores: Stores): Promise<void> => {
    await stores.cluster!.leases.leave('node');
    await stores.close();
  };
  const look = (own: string): Promise<SharedState> => inspectShared(databaseUrl, own);
  assert.equal((await look(secret)).opens, null);
  const first = await start(secret);
  const id = await fill(first);
  assert.partialDeepStrictEqual(await look(secret), { nodes: 1, rotating: false, opens: true });
  await assert.rejects(rotate(secret, 'the second'), /Nodes are running: stop all of them first .*http:\/\/node:8080/);
  await stop(first);
  await assert.rejects(rotate(secret, null), /Set HANDSET_SECRET .*HANDSET_NEW_SECRET/);
  await assert.rejects(rotate('a wrong one', 'the second'), /sealed with another secret/);
  const secrets = [secret, 'the second'.padEnd(32, '.'), 'the third'.padEnd(32, '.')];
  for (const [n, last] of ['prepared', 'marked'].entries()) {
    const [from, to] = [secrets[n]!, secrets[n + 1]!];
    await assert.rejects(rotate(from, to, last), /the power is out/);
    assert.equal((await look(from)).rotating, true);
    for (const either of [from, to]) await assert.rejects(start(either), /unfinished: run "handset rotate-secret"/);
    await assert.rejects(rotate(from, 'yet another'), /run it again with that HANDSET_NEW_SECRET/);
    const { verified } = await rotate(from, to);
    assert.ok(verified > 458, String(verified));
    assert.partialDeepStrictEqual(await look(from), { nodes: 0, rotating: false, opens: false });
    await assert.rejects(start(from), /sealed with another secret/);
    const stores = await start(to);
    await check(stores, id);
    const [entry] = (await stores.audit.list({ limit: 1, cursor: null })).items;
    assert.deepEqual([entry?.action, entry?.detail], ['secret.rotated', { values: verified }]);
    await stop(stores);
  }
});
