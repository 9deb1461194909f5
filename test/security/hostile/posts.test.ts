/** Posts of channels and statuses of strangers that are dear to decode: each is read within its time, and a page ends at its bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { maxPageBytes } from '../../../src/domain/stores.ts';
import { keptPostsIn } from '../../../src/whatsapp/channels/read-channel.ts';
import { lengthDelimited } from '../../../src/whatsapp/signal/session-record.ts';
import { BudgetSpent, Budget } from '../../../src/whatsapp/translate/parts/limits.ts';
import { decodeMessage } from '../../../src/whatsapp/translate/parts/decode.ts';
import { translateStatus } from '../../../src/whatsapp/statuses/translate.ts';
import { watchTurns } from '../../support/turns.ts';

const [conversation, contacts] = [1, 13];
const mega = 1_048_576;
/** Longest turn, ms: a post has 50 ms, and others are read in the same turn until it is over. */
const maxTurnMs = 200;

/** Two bytes for each contact. */
const manyContacts = (bytes: number): Uint8Array =>
  lengthDelimited(contacts, Buffer.alloc(bytes, Buffer.from([0x12, 0])));

const listOf = (posts: readonly Uint8Array[]): BinaryNode => ({
  tag: 'messages',
  attrs: {},
  content: posts.map((content, n) => ({
    tag: 'message',
    attrs: { server_id: String(n + 1) },
    content: [{ tag: 'plaintext', attrs: {}, content }],
  })),
});

test('hostile posts: a page of posts that are dear to decode is read in turns', async () => {
  using turns = watchTurns();
  const dear = manyContacts(mega - 64);
  const posts = await keptPostsIn(listOf(Array.from({ length: 16 }, () => dear)), 100, Date.now());
  assert.equal(posts.length, 16);
  const longest = turns.longestMs();
  assert.ok(longest < maxTurnMs, `a turn took ${longest.toFixed(0)} ms`);
});

test('hostile posts: a page of long posts ends at 4 MB, and goes on before the last', async () => {
  const wide = lengthDelimited(conversation, Buffer.from('\u{4E16}'.repeat(65_536)));
  const list = listOf(Array.from({ length: 60 }, () => wide));
  const posts = await keptPostsIn(list, 100, Date.now());
  const bytes = Buffer.byteLength(JSON.stringify(posts));
  assert.ok(bytes < maxPageBytes && bytes > maxPageBytes - 300_000, String(bytes));
  assert.equal(posts[0]?.serverId, 60);
});

test('hostile posts: a status that is dear to read ends within its time', async () => {
  const bytes = manyContacts(8 * mega);
  const budget = new Budget(bytes.length);
  const stanza = { tag: 'message', attrs: { id: 'X', participant: '4915112345678@s.whatsapp.net' } };
  const me = { phone: '4915199999999@s.whatsapp.net', lid: null };
  const context = { me, peek: () => ({ phone: null, lid: null }), now: Date.now(), find: async () => null, budget };
  const before = process.threadCpuUsage();
  await assert.rejects(async () => {
    const message = budget.run(() => decodeMessage(bytes));
    await translateStatus(stanza, message, bytes, context);
  }, BudgetSpent);
  const { user, system } = process.threadCpuUsage(before);
  assert.ok((user + system) / 1_000 < maxTurnMs, `it took ${(user + system) / 1_000} ms`);
});
