/** `parseRecipient` as a table (docs/spec/messages.md, Recipient). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRecipient } from '../../src/domain/jid.ts';

const good: readonly [string | undefined, string | undefined, object][] = [
  [undefined, '12345678', { kind: 'number', number: '12345678', jid: '12345678@s.whatsapp.net' }],
  [undefined, '123456789012345', { kind: 'number', number: '123456789012345', jid: '123456789012345@s.whatsapp.net' }],
  ['4915112345678@s.whatsapp.net', undefined, { kind: 'phone', jid: '4915112345678@s.whatsapp.net' }],
  ['123456789012345@lid', undefined, { kind: 'lid', jid: '123456789012345@lid' }],
  ['120363025246125486@g.us', undefined, { kind: 'group', jid: '120363025246125486@g.us' }],
  ['4915112345678-1400000000@g.us', undefined, { kind: 'group', jid: '4915112345678-1400000000@g.us' }],
];

for (const [to, toNumber, recipient] of good) {
  test(`${to ?? toNumber} is a recipient`, () => assert.deepEqual(parseRecipient(to, toNumber), recipient));
}

const numberRule = /^toNumber must be 8 to 15 digits/;
const jidRule = /^to must be a JID/;
const bothRule = /^Exactly one of to, toNumber and toUsername must be given/;
const bad: readonly [string | undefined, string | undefined, RegExp][] = [
  [undefined, undefined, bothRule],
  ['4915112345678@s.whatsapp.net', '4915112345678', bothRule],
  [undefined, '1234567', numberRule],
  [undefined, '1234567890123456', numberRule],
  [undefined, '+4915112345678', numberRule],
  [undefined, '49151 12345678', numberRule],
  [undefined, '', numberRule],
  [undefined, '١٢٣٤٥٦٧٨', numberRule],
  [undefined, '12345678\n', numberRule],
  ['', undefined, jidRule],
  ['4915112345678', undefined, jidRule],
  ['4915112345678@c.us', undefined, jidRule],
  ['4915112345678:3@s.whatsapp.net', undefined, jidRule],
  ['status@broadcast', undefined, jidRule],
  ['@lid', undefined, jidRule],
  ['4915112345678@s.whatsapp.net\n', undefined, jidRule],
  ['x4915112345678@lid', undefined, jidRule],
];

for (const [to, toNumber, rule] of bad) {
  test(`to ${JSON.stringify(to)}, toNumber ${JSON.stringify(toNumber)} is refused`, () => {
    assert.throws(() => parseRecipient(to, toNumber), { name: 'InvalidRequest', message: rule });
  });
}
