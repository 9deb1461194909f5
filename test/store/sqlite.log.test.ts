/** The write-ahead log of a busy store is moved into the database while the store is open, and stays bounded. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { openTestStore } from '../support/store.ts';
import { eventually } from '../support/wait.ts';

it('a busy store keeps its log short, and loses nothing in moving it', async () => {
  const store = await openTestStore();
  const { stores, dataDir } = store;
  const user = await stores.users.create('owner', 5, 0);
  const { id } = await stores.devices.create({ userId: user.id, name: 'x', webhookEvents: [], webhookUrl: null }, 0);
  const plaintext = new Uint8Array(64 * 1024);
  const keys = Array.from({ length: 800 }, (_, index) => `${index}`);
  for (const key of keys) await stores.changes.commit(id, { inbox: [{ key, plaintext }] });
  const written = keys.length * plaintext.length;
  const sizeOf = (name: string): number => statSync(join(dataDir, name)).size;
  await eventually('the log in the database', () => sizeOf('handset.db') > written / 2);
  assert.ok(sizeOf('handset.db-wal') < 100 * 1024 * 1024);
  for (const key of keys) assert.equal((await stores.credentials.readInbox(id, key))?.length, plaintext.length);
  const again = await store.reopen();
  // The start itself writes a page: the number of its generation.
  assert.ok(sizeOf('handset.db-wal') < 8 * 1024);
  for (const key of keys) assert.equal((await again.credentials.readInbox(id, key))?.length, plaintext.length);
  await store.close();
});
