/** Catching up after an upgrade works in turns by time: nobody waits for a piece of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../support/clock.ts';
import { openTestStore } from '../support/store.ts';
import { record } from './contract/fixture.ts';

test('the chats of earlier messages are made in turns of some milliseconds', async () => {
  const clock = manualClock();
  const store = await openTestStore({ clock, durability: 'process' });
  const { stores } = store;
  const user = await stores.users.create('owner', 5, 0);
  const made = { userId: user.id, name: 'Phone', webhookUrl: null, webhookEvents: [] };
  const { id } = await stores.devices.create(made, 0);
  const chats = 1_500;
  const messages = Array.from({ length: chats }, (_, index) => {
    const number = `49151${String(1_000_000 + index)}`;
    return record(`${index}`, { chat: `${number}@s.whatsapp.net`, chatNumber: number, text: '語'.repeat(10_000) });
  });
  await stores.credentials.commit(id, { messages });
  await store.execute('delete from chats; delete from progress');
  await clock.advance(61_000);
  const turns: number[] = [];
  let more = true;
  while (more) {
    const begin = process.cpuUsage();
    more = await stores.chats.catchUp();
    const { user: ours, system } = process.cpuUsage(begin);
    turns.push((ours + system) / 1_000);
  }
  const median = turns.toSorted((a, b) => a - b)[turns.length >> 1]!;
  assert.ok(median < 30, `${turns.map(Math.round).join(', ')} ms`);
  let found = 0;
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof stores.chats.list>> = await stores.chats.list(id, { limit: 1_000, cursor });
    found += page.items.length;
    cursor = page.nextCursor;
  } while (cursor !== null);
  assert.equal(found, chats);
  await store.close();
});
