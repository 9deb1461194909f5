/** Binary nodes: what this server writes and reads is what Baileys reads and writes. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type BinaryNode, decodeBinaryNode, encodeBinaryNode } from 'baileys';
import { encode } from '../../../sandbox/src/server/transport/encode.ts';
import { decode } from '../../../sandbox/src/server/transport/frames.ts';

const text = {
  id: '3EB0ABCDEF0123456789AB',
  hex: 'ABC',
  lowercase: 'abc',
  digits: '1700000001',
  odd: '123',
  version: '2.3000.1',
  empty: '',
  type: 'text',
  server: '@s.whatsapp.net',
  phone: '4915550001111@s.whatsapp.net',
  companion: '4915550001111:12@s.whatsapp.net',
  lid: '123456789012345@lid',
  lidCompanion: '123456789012345:99@lid',
  group: '120363000000000000@g.us',
  push: 'Élise 😀 & co.',
  long: 'x'.repeat(300),
} satisfies Record<string, string>;

const nodes: readonly BinaryNode[] = [
  { tag: 'message', attrs: text },
  { tag: 'enc', attrs: { v: '2' }, content: randomBytes(200) },
  { tag: 'enc', attrs: {}, content: randomBytes(300) },
  { tag: 'huge', attrs: {}, content: randomBytes(1_100_000) },
  { tag: 'none', attrs: {}, content: [] },
  { tag: 'list', attrs: {}, content: Array.from({ length: 812 }, (_, n) => ({ tag: 'key', attrs: { n: String(n) } })) },
  { tag: 'a', attrs: {}, content: [{ tag: 'b', attrs: {}, content: [{ tag: 'c', attrs: { jid: text.lid } }] }] },
];

/** As read: without members that say nothing. */
const plain = ({ tag, attrs, content }: BinaryNode): BinaryNode =>
  content === undefined
    ? { tag, attrs }
    : { tag, attrs, content: Array.isArray(content) ? content.map(plain) : Buffer.from(content) };

for (const node of nodes) {
  test(`<${node.tag}> is the same in both`, async () => {
    const bytes = Buffer.from(encode(node));
    assert.ok(bytes.equals(encodeBinaryNode(node)), 'other bytes than those of Baileys');
    assert.deepEqual(plain(await decodeBinaryNode(bytes)), plain(node));
    assert.deepEqual(plain(decode(bytes)), plain(node));
  });
}

test('a text with an @ that is no address stays a text', async () => {
  const node = { tag: 'message', attrs: { notify: 'me@home', other: 'a:b@c' } };
  const bytes = Buffer.from(encode(node));
  assert.deepEqual(plain(decode(bytes)), node);
  assert.deepEqual(plain(await decodeBinaryNode(bytes)), node);
});

test('bytes that are no node are refused', () => {
  const whole = Buffer.from(encode(nodes[0]!));
  for (let end = 1; end < whole.length; end += 1) assert.throws(() => decode(whole.subarray(0, end)));
  assert.throws(() => decode(Buffer.from([0, 248, 1, 240])));
});
