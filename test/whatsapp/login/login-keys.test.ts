/** A login reads its keys with one query, and never as they were before a write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeSessionStore } from '../../../src/whatsapp/state/session-store.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { memoryStore } from '../signal/support.ts';

const me = { id: '4915550001111:7@s.whatsapp.net', lid: '99000:7@lid', name: 'Ada' };
const creds = { ...newCredentials(), me };
const bytes = (text: string): Uint8Array => Buffer.from(text);
const list = { type: 'device-list', id: '4915550001111' };

test('the keys of a login are read together, and each by itself after it was written or read as often as a login does', async () => {
  const memory = memoryStore();
  memory.keys.set(`1/${list.type}/${list.id}`, bytes('as it was'));
  const store = makeSessionStore(memory, () => undefined);
  const readList = async (): Promise<string> =>
    Buffer.from((await store.readKeys(1, list.type, [list.id])).get(list.id) ?? []).toString();
  store.beginLogin(1, creds);
  assert.equal(await readList(), 'as it was');
  assert.equal((await store.readKeys(1, 'lid-mapping', ['4915550001111', '99000_reverse'])).size, 0);
  assert.equal((await store.readKeys(1, 'session', ['4915550001111.0', '4915550001111.7'])).size, 0);
  assert.equal(memory.reads, 0, 'none of them was asked for by itself');
  await store.commit(1, { keys: [{ ...list, value: bytes('as it is') }] });
  assert.equal(await readList(), 'as it is');
  assert.equal(memory.reads, 1);
  store.beginLogin(1, creds);
  for (let n = 0; n < 3; n += 1) assert.equal(await readList(), 'as it is');
  assert.equal(memory.reads, 2, 'the third time is none of a login');
  const [late] = await Promise.all([
    (store.beginLogin(1, creds), readList()),
    store.commit(1, { keys: [{ ...list, value: bytes('meanwhile') }] }),
  ]);
  assert.ok(['as it is', 'meanwhile'].includes(late));
  assert.equal(await readList(), 'meanwhile');
});
