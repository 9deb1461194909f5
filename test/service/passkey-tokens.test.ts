/** One-time tokens of passkeys: what one process has seen used, another need not remember. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PasskeyTokens } from '../../src/service/devices/passkey.ts';

const key = Buffer.alloc(32, 7);

test('a used token is good for nothing after a restart: the ceremony that it was for is over', () => {
  const before = new PasskeyTokens(key);
  const { secret } = before.issue(1, 'challenge one', 0);
  assert.equal(before.use(1, secret, 'challenge one', 1), true);
  assert.equal(before.use(1, secret, 'challenge one', 2), false);

  const restarted = new PasskeyTokens(key);
  assert.equal(restarted.isValid(1, secret, 3), true, 'made by this installation');
  assert.equal(restarted.use(1, secret, 'challenge two', 3), false);
  const { secret: next } = restarted.issue(1, 'challenge two', 4);
  assert.equal(restarted.use(1, next, 'challenge two', 5), true);
});

test('a new ceremony of a device gets a token of its own', () => {
  const tokens = new PasskeyTokens(key);
  const first = tokens.issue(1, 'challenge one', 0);
  assert.equal(tokens.issue(1, 'challenge one', 1), first);
  const second = tokens.issue(1, 'challenge two', 2);
  assert.notEqual(second.secret, first.secret);
  assert.equal(tokens.use(1, first.secret, 'challenge two', 3), false);
  assert.equal(tokens.use(2, second.secret, 'challenge two', 3), false, 'another device');
});
