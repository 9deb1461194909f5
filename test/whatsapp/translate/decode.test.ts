/** Messages of kinds that the engine's protobufs do not have: read by the numbers of their fields. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proto } from 'baileys';
import { lengthDelimited } from '../../../src/whatsapp/signal/session-record.ts';
import { contentOf } from '../../../src/whatsapp/translate/content.ts';
import { decodeMessage, secretIn } from '../../../src/whatsapp/translate/parts/decode.ts';

const secret = new Uint8Array(32).fill(7);
const context = proto.Message.encode({ messageContextInfo: { messageSecret: secret } }).finish();
const poll = proto.Message.PollCreationMessage.encode({
  name: 'Tea?',
  options: [{ optionName: 'yes' }, { optionName: 'no' }],
  selectableOptionsCount: 1,
}).finish();
const text = proto.Message.encode({ conversation: 'the butler did it' }).finish();
const copyOf = (message: Uint8Array): Uint8Array =>
  lengthDelimited(31, Buffer.concat([lengthDelimited(1, Buffer.from('1@lid')), lengthDelimited(2, message)]));

const v6 = Buffer.concat([lengthDelimited(119, poll), context]);
const spoiler = Buffer.concat([lengthDelimited(118, lengthDelimited(1, text)), context]);

for (const [name, bytes] of Object.entries({
  'written by others': v6,
  'written on the phone': Buffer.concat([copyOf(v6), context]),
}))
  test(`a poll of version 6, ${name}`, () => {
    const message = decodeMessage(bytes);
    const content = contentOf(message);
    assert.partialDeepStrictEqual(content, { kind: 'message', type: 'poll', text: 'Tea?' });
    assert.deepEqual(secretIn(message), Buffer.from(secret));
  });

for (const [name, bytes] of Object.entries({ 'written by others': spoiler, 'written on the phone': copyOf(spoiler) }))
  test(`a spoiler, ${name}`, () => {
    assert.partialDeepStrictEqual(contentOf(decodeMessage(bytes)), {
      kind: 'message',
      type: 'text',
      text: 'the butler did it',
    });
  });

test('a poll of version 6 in a wrapper, and what is neither', () => {
  const inner = proto.Message.encode({ pollCreationMessageV3: { name: 'Tea?', options: [] } }).finish();
  const wrapped = lengthDelimited(119, lengthDelimited(1, inner));
  assert.partialDeepStrictEqual(contentOf(decodeMessage(wrapped)), { type: 'poll', text: 'Tea?' });
  const plain = proto.Message.encode({ conversation: 'hi' }).finish();
  assert.deepEqual(decodeMessage(plain), proto.Message.decode(plain));
  assert.partialDeepStrictEqual(contentOf(decodeMessage(lengthDelimited(240, Buffer.from('new')))), {
    type: 'unknown',
  });
  for (const broken of [
    lengthDelimited(118, Buffer.from([0x0a, 0x7f])),
    lengthDelimited(119, Buffer.from([0xff])),
    lengthDelimited(118, Buffer.alloc(0)),
  ])
    assert.partialDeepStrictEqual(contentOf(decodeMessage(broken)), { type: 'unknown' });
  let deep: Uint8Array = text;
  for (let n = 0; n < 5_000; n += 1) deep = lengthDelimited(118, lengthDelimited(1, deep));
  assert.partialDeepStrictEqual(contentOf(decodeMessage(deep)), { type: 'unknown' });
});
