/** Usernames: which texts are one, as callers write them and as the network tells them (docs/spec/chats.md, Usernames). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastingRecipient, recipientIn } from '../../src/domain/chats/recipient.ts';
import { keptUsernameBytes, keptUsernameOf, parseUsernames, usernameIn } from '../../src/domain/chats/usernames.ts';

const names = ['bob', 'Some.Body', 'a_1', '1a2', 'x'.repeat(35), 'wwwbob', 'bob.comedy', '_._a'];
const others = [
  'ab',
  'x'.repeat(36),
  '123',
  '.bob',
  'bob.',
  'a..b',
  'www.bob',
  'bob.com',
  'BOB.HTML',
  'whatsapp',
  'my.WhatsApp.shop',
  'instagram_1',
  'b b',
  'böb',
  'bob\n',
  '@@bob',
  '',
  'bob:1234',
];

test('names of the network are taken, with @ or without; nothing else is', () => {
  for (const name of names) for (const text of [name, `@${name}`]) assert.equal(usernameIn(text), name, text);
  for (const text of others) assert.equal(usernameIn(text), null, JSON.stringify(text));
  for (const value of [undefined, null, 7, {}, '@'.repeat(100_000)]) assert.equal(usernameIn(value), null);
});

test('a list of names has keys behind a colon', () => {
  assert.deepEqual(parseUsernames(['@bob', ' shop:0123 ', '@shop:9999']), [
    { username: 'bob', key: null },
    { username: 'shop', key: '0123' },
    { username: 'shop', key: '9999' },
  ]);
  for (const text of ['bob:12345', 'bob:123', 'bob:', 'bob:12a4', 'bob:1234:1', 'a..b', '@whatsapp', 'b b', '123', ''])
    assert.throws(() => parseUsernames([text]), { name: 'InvalidRequest', message: /^usernames must be / }, text);
});

test('a recipient is given in one of three ways, and a key with a name alone', () => {
  assert.deepEqual(recipientIn({ toUsername: '@bob', usernameKey: '1234' }), {
    kind: 'username',
    username: 'bob',
    key: '1234',
  });
  const refused: readonly [Parameters<typeof recipientIn>[0], RegExp][] = [
    [{}, /^Exactly one of to, toNumber and toUsername must be given; all are missing$/],
    [{ to: '1@lid', toUsername: 'bob' }, /^Exactly one of to, toNumber and toUsername must be given, not more$/],
    [{ toNumber: '4915550002222', toUsername: 'bob' }, /^Exactly one of/],
    [{ toNumber: '4915550002222', usernameKey: '1234' }, /^usernameKey must be given with toUsername$/],
    [{ toUsername: '@whatsapp' }, /^toUsername must be a username: /],
    [{ toUsername: 'a..b' }, /^toUsername must be a username: /],
    [{ toUsername: 'bob', usernameKey: '12345' }, /^usernameKey must be 4 digits$/],
  ];
  for (const [given, message] of refused) assert.throws(() => recipientIn(given), { name: 'InvalidRequest', message });
  assert.throws(() => lastingRecipient(recipientIn({ toUsername: 'bob' })), { name: 'InvalidRequest' });
  assert.deepEqual(lastingRecipient({ kind: 'lid', jid: '1@lid' }), { kind: 'lid', jid: '1@lid' });
});

test('what is kept of a name is read again', () => {
  for (const kept of [
    { username: 'bob', at: 5 },
    { username: null, at: 1_700_000_000_000 },
  ])
    assert.deepEqual(keptUsernameOf(keptUsernameBytes(kept)), kept);
});
