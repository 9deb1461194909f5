/** Decrypted messages as records and events, by tables. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BinaryNode, proto } from 'baileys';
import type { MessageData } from '../../../src/domain/event.ts';
import { type MessageType, noMediaDetails, noParts } from '../../../src/domain/messages/parts.ts';
import type { Addresses, Jid } from '../../../src/domain/jid.ts';
import { translateMessage } from '../../../src/whatsapp/translate/message.ts';
import { translateReceipt } from '../../../src/whatsapp/translate/receipt.ts';
import {
  ann,
  at,
  context,
  fromAnn,
  group,
  knowsAnn,
  me,
  stanza,
  translate,
  Type,
  unknownPeople,
  eventsIn,
} from '../driver.people.ts';

const onlyMessage = (attrs: BinaryNode['attrs'], message: proto.IMessage): MessageData => {
  const changes = translate(attrs, message);
  assert.equal(eventsIn(changes).length, 1);
  const { event } = eventsIn(changes)[0]!;
  assert.ok(event.type === 'message.received' || event.type === 'message.sent');
  return event.data.message;
};

const media = {
  mimetype: 'x/y',
  fileLength: 1234,
  fileSha256: Buffer.alloc(32, 0xab),
  mediaKey: Buffer.alloc(32),
  directPath: '/p',
};

const kinds: readonly (readonly [string, proto.IMessage, MessageType, string | null, string | null])[] = [
  ['conversation', { conversation: 'hi' }, 'text', 'hi', null],
  [
    'extended text with a quote',
    { extendedTextMessage: { text: 'yes', contextInfo: { stanzaId: 'Q1' } } },
    'text',
    'yes',
    'Q1',
  ],
  [
    'disappearing text',
    { ephemeralMessage: { message: { extendedTextMessage: { text: 'soon gone' } } } },
    'text',
    'soon gone',
    null,
  ],
  ['image', { imageMessage: { ...media, caption: 'look' } }, 'image', 'look', null],
  ['image without a caption', { imageMessage: media }, 'image', null, null],
  [
    'view once image',
    { viewOnceMessageV2: { message: { imageMessage: { ...media, caption: 'once' } } } },
    'image',
    'once',
    null,
  ],
  ['video', { videoMessage: { ...media, caption: 'v', contextInfo: { stanzaId: 'Q2' } } }, 'video', 'v', 'Q2'],
  ['round video', { ptvMessage: media }, 'video', null, null],
  ['voice', { audioMessage: { ...media, ptt: true } }, 'audio', null, null],
  ['document', { documentMessage: { ...media, fileName: 'a.pdf' } }, 'document', null, null],
  [
    'document with caption',
    { documentWithCaptionMessage: { message: { documentMessage: { ...media, caption: 'c' } } } },
    'document',
    'c',
    null,
  ],
  ['sticker', { stickerMessage: media }, 'sticker', null, null],
  [
    'location',
    { locationMessage: { degreesLatitude: 1, degreesLongitude: 2, name: 'Here' } },
    'location',
    'Here',
    null,
  ],
  ['live location', { liveLocationMessage: { degreesLatitude: 1, caption: 'moving' } }, 'location', 'moving', null],
  ['contact', { contactMessage: { displayName: 'Bob', vcard: 'BEGIN:VCARD' } }, 'contact', 'Bob', null],
  ['contacts', { contactsArrayMessage: { displayName: '2 contacts' } }, 'contact', '2 contacts', null],
  ['poll', { pollCreationMessageV3: { name: 'Lunch?' } }, 'poll', 'Lunch?', null],
  ['button reply', { buttonsResponseMessage: { selectedDisplayText: 'OK' } }, 'text', 'OK', null],
  [
    'template',
    { templateMessage: { hydratedTemplate: { hydratedContentText: 'Your code' } } },
    'text',
    'Your code',
    null,
  ],
  ['invitation', { groupInviteMessage: { groupJid: group, caption: 'join us' } }, 'groupInvite', 'join us', null],
  ['a line of the app', { requestPhoneNumberMessage: {} }, 'system', null, null],
  ['a kind without a name here', { placeholderMessage: {} }, 'unknown', null, null],
  [
    'a kind newer than the protobufs',
    { messageContextInfo: { messageSecret: Buffer.alloc(32) } },
    'unknown',
    null,
    null,
  ],
];

for (const [name, message, type, text, quoted] of kinds) {
  test(`translate: ${name}`, () => {
    const data = onlyMessage(fromAnn, message);
    assert.deepEqual([data.type, data.text, data.quotedMessageId], [type, text, quoted]);
  });
}

test('translate: a field that no protobuf knows is an unknown message', () => {
  const changes = translateMessage(stanza(fromAnn), proto.Message.decode(Buffer.from('fa3f0161', 'hex')), context());
  const { event } = eventsIn(changes)[0]!;
  assert.ok(event.type === 'message.received');
  assert.equal(event.data.message.type, 'unknown');
});

test('translate: a received message has both addresses, its media and its record', () => {
  const changes = translate(fromAnn, { imageMessage: { ...media, caption: 'look' } });
  const { event, at: when, orderKey } = eventsIn(changes)[0]!;
  assert.deepEqual(event, {
    type: 'message.received',
    data: {
      message: {
        id: 'M1',
        chat: ann.phone,
        chatNumber: '4922200002',
        chatLid: ann.lid,
        from: ann.phone,
        fromNumber: '4922200002',
        fromLid: ann.lid,
        pushName: 'Ann',
        isGroup: false,
        timestamp: at,
        type: 'image',
        text: 'look',
        quotedMessageId: null,
        media: {
          mimetype: 'x/y',
          bytes: 1234,
          sha256: 'ab'.repeat(32),
          fileName: null,
          ...noMediaDetails,
        },
        ...noParts,
        viewOnce: false,
        unavailable: null,
      },
    },
  });
  assert.equal(when, at);
  assert.equal(orderKey, ann.phone);
  const [record] = changes.messages!;
  assert.deepEqual([record!.direction, record!.state, record!.deliveredAt], ['in', 'delivered', at]);
  assert.equal(proto.Message.decode(record!.content!).imageMessage?.caption, 'look');
});

test('translate: an id is text that every database keeps, wherever it stands', () => {
  const id = 'M\0';
  const [record] = translate({ ...fromAnn, id }, { conversation: 'x' }).messages!;
  const revoke = { protocolMessage: { type: Type.REVOKE, key: { id } } };
  const [event] = eventsIn(translate(fromAnn, revoke));
  const [step] = translateReceipt({ tag: 'receipt', attrs: { from: ann.phone, id } }, context());
  const told = event!.event.type === 'message.deleted' ? event!.event.data.messageId : null;
  assert.deepEqual([record!.id, told, step!.messageId], ['M\ufffd', 'M\ufffd', 'M\ufffd']);
});

test('translate: the text of a message is not kept twice', () => {
  assert.equal(translate(fromAnn, { conversation: 'x' }).messages![0]!.content, null);
});

const places: readonly (readonly [string, BinaryNode['attrs'], (jid: Jid) => Addresses, Partial<MessageData>])[] = [
  [
    'phone addressed',
    { from: '4922200002:1@s.whatsapp.net', sender_lid: ann.lid },
    unknownPeople,
    { chat: ann.phone, chatLid: ann.lid, from: ann.phone, fromLid: ann.lid, isGroup: false },
  ],
  [
    'LID, phone known from before',
    { from: ann.lid },
    knowsAnn,
    { chat: ann.phone, chatNumber: '4922200002', fromLid: ann.lid },
  ],
  [
    'LID, phone unknown',
    { from: ann.lid },
    unknownPeople,
    { chat: ann.lid, chatNumber: null, chatLid: ann.lid, from: ann.lid, fromNumber: null },
  ],
  [
    'group',
    { from: group, participant: '9002:3@lid', participant_pn: ann.phone },
    unknownPeople,
    { chat: group, chatNumber: null, chatLid: null, from: ann.phone, fromLid: ann.lid, isGroup: true },
  ],
  [
    'broadcast list',
    { from: '1234@broadcast', participant: ann.phone },
    unknownPeople,
    { chat: ann.phone, from: ann.phone, isGroup: false },
  ],
  ['hosted device', { from: '4922200002:99@hosted' }, unknownPeople, { chat: ann.phone }],
];

for (const [name, attrs, peek, expected] of places) {
  test(`translate: who and where, ${name}`, () => {
    const { event } = eventsIn(translate(attrs, { conversation: 'x' }, peek))[0]!;
    assert.ok(event.type === 'message.received');
    const { message } = event.data;
    assert.deepEqual({ ...message, ...expected }, message);
  });
}

test('translate: what the phone sent is message.sent with source phone', () => {
  const changes = translate(
    { from: '9001:0@lid', recipient: ann.lid, peer_recipient_pn: ann.phone },
    { deviceSentMessage: { destinationJid: ann.lid, message: { conversation: 'from my phone' } } },
  );
  const { event } = eventsIn(changes)[0]!;
  assert.ok(event.type === 'message.sent');
  assert.equal(event.data.source, 'phone');
  const { message } = event.data;
  assert.deepEqual(
    [message.chat, message.chatLid, message.from, message.fromNumber, message.fromLid, message.text],
    [ann.phone, ann.lid, me.phone, '4911100001', me.lid, 'from my phone'],
  );
  assert.deepEqual([changes.messages![0]!.direction, changes.messages![0]!.state], ['out', 'accepted']);
});

test('translate: what the phone sent to a group', () => {
  const { event } = eventsIn(translate({ from: group, participant: '9001:0@lid' }, { conversation: 'x' }))[0]!;
  assert.equal(event.type, 'message.sent');
});

test('a text is no longer than one that can be sent, and not cut within a character', () => {
  const long = 'x'.repeat(65_535);
  assert.equal(onlyMessage(fromAnn, { conversation: `${long}yz` }).text, `${long}y`);
  assert.equal(onlyMessage(fromAnn, { conversation: `${long}\u{1F600}` }).text, long);
  assert.equal(onlyMessage(fromAnn, { extendedTextMessage: { text: 'z'.repeat(1_000_000) } }).text?.length, 65_536);
  const caption = { ...media, caption: 'c'.repeat(100_000) };
  assert.equal(onlyMessage(fromAnn, { imageMessage: caption }).text?.length, 65_536);
});

test('translate: a sender whose device has announced no name has none', () => {
  for (const notify of ['-', ''])
    assert.equal(onlyMessage({ ...fromAnn, notify }, { conversation: 'hi' }).pushName, null);
});
