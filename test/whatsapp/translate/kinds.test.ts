/** The payload of each kind of message; no kind of the protobufs is forgotten. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { proto } from 'baileys';
import type { MessageData } from '../../../src/domain/event.ts';
import { type MessageMedia, type MessageParts, noParts } from '../../../src/domain/messages/parts.ts';
import { contentOf, readers } from '../../../src/whatsapp/translate/content.ts';
import { Room } from '../../../src/whatsapp/translate/parts/limits.ts';
import { pollOf, votesOf } from '../../../src/whatsapp/translate/kinds/poll.ts';
import { silentFields } from '../../../src/whatsapp/translate/kinds/notices.ts';
import { translateMessage } from '../../../src/whatsapp/translate/message.ts';
import { unwrap } from '../../../src/whatsapp/translate/parts/decode.ts';
import { ann, context, fromAnn, knowsAnn, me, stanza, translate, eventsIn } from '../driver.people.ts';
import { said } from './kinds.cases.ts';

const received = (message: proto.IMessage): MessageData => {
  const { event } = eventsIn(translate(fromAnn, message, knowsAnn))[0]!;
  assert.ok(event.type === 'message.received');
  return event.data.message;
};

for (const [name, message, type, parts] of said) {
  test(`kinds: ${name}`, () => {
    const data = received(message);
    assert.equal(data.type, type);
    for (const [member, none] of Object.entries(noParts))
      assert.deepEqual(
        data[member as keyof MessageParts],
        { ...noParts, ...parts }[member as keyof MessageParts] ?? none,
        member,
      );
  });
}

test('kinds: a comment names the message that it is about', () => {
  const message = { commentMessage: { message: { conversation: 'nice' }, targetMessageKey: { id: 'P1' } } };
  assert.deepEqual([received(message).text, received(message).quotedMessageId], ['nice', 'P1']);
});

const file = { mediaKey: Buffer.alloc(32), directPath: '/p' };
const mediaDetails: readonly (readonly [string, proto.IMessage, Partial<MessageMedia>])[] = [
  [
    'voice message',
    { audioMessage: { ...file, ptt: true, seconds: 7, waveform: Buffer.from([0, 50, 255]) } },
    { voice: true, seconds: 7, waveform: [0, 50, 100] },
  ],
  [
    'video as a GIF',
    { videoMessage: { ...file, gifPlayback: true, seconds: 3, width: 640, height: 480 } },
    { gif: true, seconds: 3, width: 640, height: 480 },
  ],
  [
    'head of a template',
    { templateMessage: { hydratedTemplate: { imageMessage: { ...file, width: 5 } } } },
    { mimetype: 'image/jpeg', width: 5 },
  ],
];

for (const [name, message, media] of mediaDetails)
  test(`kinds: ${name}`, () => assert.partialDeepStrictEqual(received(message).media, media));

test('kinds: the options that a vote names, and those of a poll that is not known', () => {
  const poll = { name: 'Lunch?', options: [{ optionName: 'yes' }, { optionName: 'no' }, { optionName: 'yes' }] };
  const hashOf = (option: string) => createHash('sha256').update(option).digest();
  const vote = { selectedOptions: [hashOf('no'), hashOf('neither')] };
  assert.deepEqual(votesOf(vote, poll), [{ option: 'no' }]);
  assert.deepEqual(votesOf({ selectedOptions: [] }, poll), []);
  assert.deepEqual(votesOf(vote, null), [{ option: null }, { option: null }]);
  assert.deepEqual(pollOf({}, new Room()), { question: '', options: [], maxAnswers: 0 });
});

/** Fields that no type here fits: stored with their bytes, for a later version. */
const withoutType = ['call', 'chat', 'placeholderMessage'] as const;

test('kinds: every field of the protobufs is read, silent with a reason, a wrapper, or kept as unknown', () => {
  const forgotten: string[] = [];
  const fields = Object.keys(proto.Message.prototype).filter((field) => field !== 'toJSON');
  assert.ok(fields.length > 90, `${fields.length} fields`);
  for (const field of fields) {
    const inner = { conversation: 'inside' };
    const isWrapper = unwrap({ [field]: { message: inner } }) === inner;
    const places = [readers.has(field), field in silentFields, isWrapper, withoutType.some((each) => each === field)];
    if (places.filter(Boolean).length !== 1) forgotten.push(`${field}: ${places.join()}`);
  }
  assert.deepEqual(forgotten, []);
  for (const reason of Object.values(silentFields)) assert.match(reason, /\w+ \w+/);
});

for (const field of withoutType) {
  test(`kinds: ${field} is unknown, with its bytes`, () => {
    const bytes = proto.Message.encode({ [field]: {} }).finish();
    const { messages } = translateMessage(stanza(fromAnn), proto.Message.decode(bytes), context(), bytes);
    assert.deepEqual([messages![0]!.type, messages![0]!.content], ['unknown', bytes]);
  });
}

test('kinds: a message newer than the protobufs keeps the bytes that they drop', () => {
  const bytes = Buffer.from('fa3f0161', 'hex');
  const { messages } = translateMessage(stanza(fromAnn), proto.Message.decode(bytes), context(), bytes);
  assert.deepEqual([messages![0]!.type, messages![0]!.content], ['unknown', bytes]);
});

test('kinds: the bytes of every kind are kept, but of plain texts and of what is to be viewed once', () => {
  const kept = (message: proto.IMessage) => translate(fromAnn, message).messages![0]!.content !== null;
  assert.equal(kept({ conversation: 'x' }), false);
  assert.equal(kept({ conversation: 'x'.repeat(70_000) }), true);
  assert.equal(kept({ viewOnceMessageV2: { message: { imageMessage: file } } }), false);
  assert.equal(kept({ locationMessage: { degreesLatitude: 1 } }), true);
  assert.equal(kept({ extendedTextMessage: { text: 'x', contextInfo: { stanzaId: 'Q' } } }), true);
});

test('kinds: an own message says as much', () => {
  const message = { deviceSentMessage: { message: { pollCreationMessage: { name: 'Lunch?' } } } };
  const { event } = eventsIn(translate({ from: me.phone, recipient: ann.phone }, message))[0]!;
  assert.ok(event.type === 'message.sent');
  assert.equal(event.data.message.poll?.question, 'Lunch?');
  assert.equal(contentOf(message).kind, 'message');
});
