/** The file gives back what deletions have freed, in steps that hold up nobody; an older one does so after `handset compact`. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { compactFolder } from '../../src/store/admin/backup.ts';
import { openTestStore, type TestStore } from '../support/store.ts';
import { record } from './contract/fixture.ts';

const text = 'x'.repeat(8_000);

/** Stores 20 MB of messages and lets retention delete them. */
const fillAndPrune = async ({ stores }: TestStore): Promise<void> => {
  const user = await stores.users.create('owner', 5, 0);
  const made = { userId: user.id, name: 'Phone', webhookUrl: null, webhookEvents: [] };
  const { id } = await stores.devices.create(made, 0);
  for (let batch = 0; batch < 25; batch += 1) {
    const messages = Array.from({ length: 100 }, (_, index) => record(`${batch}.${index}`, { text }));
    await stores.changes.commit(id, { messages });
  }
  const now = Date.now() + 1;
  await stores.retention.prune({ events: now, messages: now, inbox: now, idempotency: now });
};

const pragma = (dataDir: string, name: string): number => {
  const database = new DatabaseSync(join(dataDir, 'handset.db'), { readOnly: true, timeout: 5_000 });
  const value = Number(database.prepare(`pragma ${name}`).get()?.[name]);
  database.close();
  return value;
};

test('what retention has deleted is given back to the disk, up to 4 MB that stay for later rows', async () => {
  const store = await openTestStore();
  const { dataDir } = store;
  await fillAndPrune(store);
  assert.ok(pragma(dataDir, 'freelist_count') > 5_000);
  let calls = 1;
  const steps: number[] = [];
  for (;;) {
    const begin = process.cpuUsage();
    if (!(await store.stores.retention.shrink())) break;
    const { user, system } = process.cpuUsage(begin);
    steps.push((user + system) / 1_000 / 100);
    calls += 1;
  }
  assert.ok(calls > 1 && Math.max(...steps) < 50, `${steps.join(', ')} ms a step`);
  assert.ok(pragma(dataDir, 'freelist_count') <= 1_000);
  await store.stores.close();
  assert.ok(statSync(join(dataDir, 'handset.db')).size < 6_000_000);
  await store.reopen();
  await store.close();
});

test('a file from before gives nothing back until it was compacted, and all of it then', async () => {
  const store = await openTestStore();
  const { dataDir } = store;
  await store.stores.close();
  const file = join(dataDir, 'handset.db');
  const old = new DatabaseSync(file);
  old.exec('pragma auto_vacuum = none; vacuum');
  old.close();
  await store.reopen();
  await fillAndPrune(store);
  assert.equal(await store.stores.retention.shrink(), false);
  await assert.rejects(compactFolder(dataDir), /in use/);
  await store.stores.close();
  const { before, after } = await compactFolder(dataDir);
  assert.ok(before > 20_000_000 && after < 2_000_000, `${before} to ${after}`);
  assert.equal(statSync(file).size, after);
  assert.equal(pragma(dataDir, 'auto_vacuum'), 2);
  await store.reopen();
  assert.equal((await store.stores.users.list()).length, 1);
  await store.close();
});
