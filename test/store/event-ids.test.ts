/** Ids of events are given once, also where a database is put back to an earlier state (docs/internals/durability.md, "A database that was put back"). */
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import type { Stores } from '../../src/domain/stores.ts';
import { backupFolder, restoreFolder } from '../../src/store/admin/backup.ts';
import { lowestSeqAt } from '../../src/store/base/ids.ts';
import { openPostgresStore } from '../../src/store/open-postgres.ts';
import { manualClock, type ManualClock } from '../support/clock.ts';
import { type TestPostgres, startPostgres } from '../support/postgres.ts';
import { openTestStore } from '../support/store.ts';
import { hook, received } from './contract/fixture.ts';
import { eventKinds } from '../../src/domain/event.ts';

const write = async (stores: Stores, id: number, names: readonly string[], epoch: number | null = null) =>
  (await stores.changes.commit(id, { facts: names.map((name) => received(name)) }, epoch)).map((event) => event.id);

const newDevice = async ({ users, devices }: Stores, clock: ManualClock): Promise<number> => {
  const user = await users.create('owner', 5, clock.now());
  return (await devices.create({ userId: user.id, name: 'Phone', webhookEvents: eventKinds, ...hook }, clock.now())).id;
};

const isRefused = (stores: Stores, id: number, event: string): Promise<void> =>
  assert.rejects(stores.events.assertPosition(id, event), { name: 'InvalidRequest', message: /^after must be/ });

const assertTold = async (
  stores: Stores,
  id: number,
  told: { readonly kept: readonly string[]; readonly lost: readonly string[]; readonly anew: readonly string[] },
): Promise<void> => {
  const { kept, lost, anew } = told;
  assert.equal(new Set([...kept, ...lost, ...anew]).size, kept.length + lost.length + anew.length);
  assert.deepEqual([...kept, ...lost, ...anew].toSorted(), [...kept, ...lost, ...anew]);
  for (const event of lost) await isRefused(stores, id, event);
  for (const event of [...kept, ...anew]) await stores.events.assertPosition(id, event);
};

describe('ids of events', () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.close());

  it('are not given again after `handset restore`, and those that it lost are refused as a position', async () => {
    const clock = manualClock();
    const store = await openTestStore({ clock });
    const id = await newDevice(store.stores, clock);
    const kept = await write(store.stores, id, ['A', 'B']);
    const file = join(store.dataDir, 'copy.db');
    await backupFolder(store.dataDir, file);
    const lost = await write(store.stores, id, ['C', 'D', 'E']);
    await store.stores.close();
    await restoreFolder(store.dataDir, file, null);
    await clock.advance(100);
    await store.reopen();
    for (const event of lost) await isRefused(store.stores, id, event);
    const anew = await write(store.stores, id, ['C', 'D', 'E', 'F']);
    await assertTold(store.stores, id, { kept, lost, anew });
    await store.close();
  });

  it('are not given again where a copy of the files is put back without a word', async () => {
    const clock = manualClock();
    const store = await openTestStore({ clock });
    const id = await newDevice(store.stores, clock);
    const kept = await write(store.stores, id, ['A']);
    await store.stores.close();
    const path = join(store.dataDir, 'handset.db');
    copyFileSync(path, `${path}.copy`);
    await store.reopen();
    const lost = await write(store.stores, id, ['B', 'C']);
    await store.stores.close();
    copyFileSync(`${path}.copy`, path);
    await clock.advance(100);
    await store.reopen();
    await assertTold(store.stores, id, { kept, lost, anew: await write(store.stores, id, ['B', 'C', 'D']) });
    await store.close();
  });

  it('are not given again by a PostgreSQL that was put back', async () => {
    const clock = manualClock();
    const databaseUrl = await postgres.database();
    const open = async (url: string) => {
      const stores = await openPostgresStore({
        databaseUrl: url,
        secret: 'the secret of a PostgreSQL that was put back',
        connections: 2,
        clock,
      });
      await stores.cluster!.leases.renew({ id: 'node', url: 'http://node', draining: false });
      return stores;
    };
    const epochOf = async (stores: Stores, id: number): Promise<number> => {
      const given = await stores.cluster!.leases.acquire('node', id);
      assert.ok(given.kind === 'held');
      return given.lease.epoch;
    };
    let stores = await open(databaseUrl);
    const id = await newDevice(stores, clock);
    const kept = await write(stores, id, ['A'], await epochOf(stores, id));
    await stores.close();
    const client = new Client(postgres.only);
    await client.connect();
    await client.query(`create database put_back template ${new URL(databaseUrl).pathname.slice(1)}`);
    await client.end();
    stores = await open(databaseUrl);
    const lost = await write(stores, id, ['B', 'C'], await epochOf(stores, id));
    await stores.close();
    await clock.advance(100);
    stores = await open(databaseUrl.replace(/[^/]+$/, 'put_back'));
    const anew = await write(stores, id, ['B', 'C', 'D'], await epochOf(stores, id));
    await assertTold(stores, id, { kept, lost, anew });
    await stores.close();
  });

  it('go on above those of before where the clock is set back, and stay within their width where it is far ahead', async () => {
    const clock = manualClock();
    const store = await openTestStore({ clock });
    const id = await newDevice(store.stores, clock);
    const ids = await write(store.stores, id, ['A']);
    clock.jump(-86_400_000);
    ids.push(...(await write(store.stores, id, ['B'])));
    clock.jump(Date.UTC(2400, 0, 1) - clock.now());
    ids.push(...(await write(store.stores, id, ['C'])));
    assert.deepEqual(ids.toSorted(), ids);
    assert.ok(ids.every((each) => each.length === ids[0]!.length));
    assert.equal(lowestSeqAt(0), 0);
    assert.ok(lowestSeqAt(Date.UTC(2400, 0, 1)) < 2 ** 50);
    await store.close();
  });
});
