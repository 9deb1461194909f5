/** A database that is older than what was said is noticed (docs/internals/durability.md, "A database that was put back"). */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { restoredNote } from '../../src/domain/changes.ts';
import { LeaseLost } from '../../src/domain/lease.ts';
import type { Stores } from '../../src/domain/stores.ts';
import { postgresWasRestored } from '../../src/main/offline.ts';
import { openPostgresStore } from '../../src/store/open-postgres.ts';
import { type TestPostgres, startPostgres } from '../support/postgres.ts';
import { openTestStore } from '../support/store.ts';
import { bytes, hook } from './contract/fixture.ts';

const secret = 'the secret of a database that was put back';
const keys = [
  'session',
  'sender-key',
  'sender-key-memory',
  'device-list',
  'pre-key',
  'identity-key',
  'lid-mapping',
].map((type) => ({ type, id: 'x', value: bytes(type) }));
const kept = ['identity-key', 'lid-mapping', 'pre-key'];

const newDevice = async ({ users, devices }: Stores): Promise<number> => {
  const user = await users.create('owner', 5, 0);
  return (await devices.create({ userId: user.id, name: 'Phone', webhookEvents: [], ...hook }, 0)).id;
};

const typesOf = async ({ credentials }: Stores, id: number): Promise<readonly string[]> =>
  (await credentials.listKeys(id)).map(({ type }) => type);

const noticedIn = async ({ audit }: Stores): Promise<number> =>
  (await audit.list({ limit: 100, cursor: null })).items.filter(({ action }) => action === 'backup.restored').length;

/** Gives the device all kinds of keys. */
const commit = (stores: Stores, id: number, epoch: number | null = null): Promise<unknown> =>
  stores.changes.commit(id, { credentials: bytes('credentials'), keys }, epoch);

describe('the generation of a data folder', () => {
  it('goes on with every start and end, and a file that says more than the database is heeded once', async () => {
    const store = await openTestStore();
    const path = join(store.dataDir, 'generation.json');
    const valueNow = async (): Promise<number> => JSON.parse(await readFile(path, 'utf8')).value;
    const id = await newDevice(store.stores);
    await commit(store.stores, id);
    const first = await valueNow();
    await store.reopen();
    assert.equal(await valueNow(), first + 2);
    assert.equal((await typesOf(store.stores, id)).length, keys.length);
    await store.stores.close();
    const said = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...said, value: said.value + 1 }));
    await store.reopen();
    assert.deepEqual(await typesOf(store.stores, id), [...kept, restoredNote.type]);
    assert.equal(await noticedIn(store.stores), 1);
    await store.reopen();
    assert.equal(await noticedIn(store.stores), 1);
    await store.close();
  });

  it('says nothing of another database, nor of one without a linked device', async () => {
    const store = await openTestStore();
    const path = join(store.dataDir, 'generation.json');
    await store.stores.close();
    const said = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...said, value: said.value + 100 }));
    await store.reopen();
    const id = await newDevice(store.stores);
    await commit(store.stores, id);
    await store.stores.close();
    await writeFile(path, JSON.stringify({ lineage: 'another', value: 1e12 }));
    await store.reopen();
    await store.stores.close();
    await writeFile(path, '{"lineage":');
    await store.reopen();
    assert.equal((await typesOf(store.stores, id)).length, keys.length);
    assert.equal(await noticedIn(store.stores), 0);
    await store.close();
  });
});

describe('a database that was lost', () => {
  it('is not taken for a new installation, until it is put back or the file that tells of it is deleted', async () => {
    const store = await openTestStore();
    await newDevice(store.stores);
    await store.stores.close();
    const database = join(store.dataDir, 'handset.db');
    await rename(database, `${database}.lost`);
    await assert.rejects(store.reopen(), /generation\.json is of one with data: it was lost.*Put it back.*begin anew/);
    await assert.rejects(readFile(database), { code: 'ENOENT' }, 'nothing is made');
    await writeFile(database, '');
    await assert.rejects(store.reopen(), /it was lost/, 'an empty file is none');
    await rename(`${database}.lost`, database);
    await store.reopen();
    assert.equal((await store.stores.users.list()).length, 1);
    await store.stores.close();
    await rm(database);
    await rm(join(store.dataDir, 'generation.json'));
    await store.reopen();
    await store.close();
  });
});

describe('the generation of a PostgreSQL', () => {
  let postgres: TestPostgres;
  let folder: string;
  before(async () => {
    postgres = await startPostgres();
    folder = await mkdtemp(join(tmpdir(), 'handset-generation-'));
  });
  after(async () => {
    await postgres.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = (databaseUrl: string, node: string): Promise<Stores> =>
    openPostgresStore({ databaseUrl, secret, connections: 2, dataDir: join(folder, node) });

  const query = async (databaseUrl: string, statement: string): Promise<void> => {
    const client = new Client(databaseUrl);
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };

  it('that goes back under running nodes ends every session, as a failover to a replica that lags asks for', async () => {
    const url = await postgres.database();
    const [one, two] = await Promise.all([open(url, 'one'), open(url, 'two')]);
    const { leases } = one.cluster!;
    await leases.renew({ id: 'one', url: 'http://one', draining: false });
    const id = await newDevice(one);
    const given = await leases.acquire('one', id);
    assert.ok(given.kind === 'held');
    await commit(one, id, given.lease.epoch);
    await query(url, 'update generation set value = value - 5');
    await two.close();
    assert.deepEqual(await typesOf(one, id), [...kept, restoredNote.type]);
    await assert.rejects(commit(one, id, given.lease.epoch), LeaseLost);
    const again = await leases.acquire('one', id);
    assert.ok(again.kind === 'held' && again.lease.epoch > given.lease.epoch);
    await one.close();
    // The file of neither node says more than what the one has noticed.
    for (const node of ['one', 'two']) {
      const stores = await open(url, node);
      assert.equal(await noticedIn(stores), 1);
      await stores.close();
    }
  });

  it('that is empty, beside a file of one with data, is no new installation', async () => {
    const [url, lost] = [await postgres.database(), postgres.only];
    const stores = await open(url, 'four');
    await newDevice(stores);
    await stores.close();
    const words = /generation\.json is of one with data: it was lost.*Put it back.*migrate-to-postgres.*begin anew/;
    await assert.rejects(open(lost, 'four'), words);
    const made = `select 1 / count(*) from information_schema.tables where table_schema = 'public'`;
    await assert.rejects(query(lost, made), /division by zero/, 'nothing is made, so that a dump can be put back');
    await (await open(lost, 'a new node')).close();
    await query(lost, 'delete from generation');
    await assert.rejects(open(lost, 'four'), words, 'a schema without anything is no database');
    const again = await open(url, 'four');
    assert.equal((await again.users.list()).length, 1);
    await again.close();
    await rm(join(folder, 'four', 'generation.json'));
    await (await open(lost, 'four')).close();
  });

  it('is not told of a restoration while a node is alive', async () => {
    const url = await postgres.database();
    const stores = await open(url, 'three');
    const id = await newDevice(stores);
    await stores.cluster!.leases.renew({ id: 'three', url: 'http://three', draining: false });
    const given = await stores.cluster!.leases.acquire('three', id);
    assert.ok(given.kind === 'held');
    await commit(stores, id, given.lease.epoch);
    await assert.rejects(postgresWasRestored(url, secret), /Nodes are running: stop all of them first/);
    await assert.rejects(
      postgresWasRestored(url, 'another secret, which is long enough'),
      /sealed with another secret/,
    );
    await stores.cluster!.leases.leave('three');
    await stores.close();
    assert.equal(await postgresWasRestored(url, secret), 1);
    const restarted = await open(url, 'three');
    assert.deepEqual(await typesOf(restarted, id), [...kept, restoredNote.type]);
    assert.equal(await noticedIn(restarted), 1);
    await restarted.close();
  });
});
