/** Stanzas and decrypted messages as records and events, by tables. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BinaryNode, proto } from 'baileys';
import type { DeviceEvent, MessageData, MessageType } from '../../src/domain/event.ts';
import type { Addresses, Jid } from '../../src/domain/jid.ts';
import { type CallOffer, translateCall } from '../../src/whatsapp/translate/call.ts';
import { translateMessage } from '../../src/whatsapp/translate/message.ts';
import { translateReceipt } from '../../src/whatsapp/translate/receipt.ts';

const me = { phone: '4911100001@s.whatsapp.net', lid: '9001@lid' };
const ann = { phone: '4922200002@s.whatsapp.net', lid: '9002@lid' };
const group = '120363000000000001@g.us';
const at = 1_700_000_000_000;
const unknownPeople = (): Addresses => ({ phone: null, lid: null });
const knowsAnn = (jid: Jid): Addresses => (jid === ann.phone || jid === ann.lid ? ann : unknownPeople());

const context = (peek = unknownPeople as (jid: Jid) => Addresses) => ({
  me,
  peek,
  mediaUrl: (id: string) => `https://handset.test/v1/devices/7/messages/${id}/media`,
  now: at + 5000,
});

const stanza = (attrs: BinaryNode['attrs']): BinaryNode => ({
  tag: 'message',
  attrs: { id: 'M1', t: String(at / 1000), ...attrs },
});

// As the ratchet gives it: through the wire format.
const decoded = (message: proto.IMessage): proto.IMessage =>
  proto.Message.decode(proto.Message.encode(message).finish());

const translate = (
  attrs: BinaryNode['attrs'],
  message: proto.IMessage,
  peek = unknownPeople as (jid: Jid) => Addresses,
) => translateMessage(stanza(attrs), decoded(message), context(peek));

const fromAnn = { from: '9002:3@lid', sender_pn: ann.phone, notify: 'Ann' };

const onlyMessage = (attrs: BinaryNode['attrs'], message: proto.IMessage): MessageData => {
  const changes = translate(attrs, message);
  assert.equal(changes.events?.length, 1);
  const { event } = changes.events[0]!;
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
  ['invitation', { groupInviteMessage: { groupJid: group, caption: 'join us' } }, 'unknown', 'join us', null],
  ['a kind without a name here', { requestPhoneNumberMessage: {} }, 'unknown', null, null],
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
  const { event } = changes.events![0]!;
  assert.ok(event.type === 'message.received');
  assert.equal(event.data.message.type, 'unknown');
});

test('translate: a received message has both addresses, its media and its record', () => {
  const changes = translate(fromAnn, { imageMessage: { ...media, caption: 'look' } });
  const { event, at: when, orderKey } = changes.events![0]!;
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
        timestamp: '2023-11-14T22:13:20.000Z',
        type: 'image',
        text: 'look',
        quotedMessageId: null,
        media: {
          mimetype: 'x/y',
          bytes: 1234,
          sha256: 'ab'.repeat(32),
          fileName: null,
          url: 'https://handset.test/v1/devices/7/messages/M1/media',
        },
      },
    },
  });
  assert.equal(when, at);
  assert.equal(orderKey, ann.phone);
  const [record] = changes.messages!;
  assert.deepEqual([record!.direction, record!.state, record!.deliveredAt], ['in', 'delivered', at]);
  assert.equal(proto.Message.decode(record!.content!).imageMessage?.caption, 'look');
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
    const { event } = translate(attrs, { conversation: 'x' }, peek).events![0]!;
    assert.ok(event.type === 'message.received');
    const { message } = event.data;
    assert.deepEqual(
      Object.fromEntries(Object.keys(expected).map((key) => [key, message[key as keyof MessageData]])),
      expected,
    );
  });
}

test('translate: what the phone sent is message.sent with source phone', () => {
  const changes = translate(
    { from: '9001:0@lid', recipient: ann.lid, peer_recipient_pn: ann.phone },
    { deviceSentMessage: { destinationJid: ann.lid, message: { conversation: 'from my phone' } } },
  );
  const { event } = changes.events![0]!;
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
  const { event } = translate({ from: group, participant: '9001:0@lid' }, { conversation: 'x' }).events![0]!;
  assert.equal(event.type, 'message.sent');
});

const actions: readonly (readonly [string, proto.IMessage, DeviceEvent['type'], unknown])[] = [
  [
    'edit',
    {
      editedMessage: {
        message: { protocolMessage: { type: 14, key: { id: 'M0' }, editedMessage: { conversation: 'better' } } },
      },
    },
    'message.updated',
    { text: 'better' },
  ],
  [
    'edited caption',
    { protocolMessage: { type: 14, key: { id: 'M0' }, editedMessage: { imageMessage: { caption: 'better' } } } },
    'message.updated',
    { text: 'better' },
  ],
  [
    'reaction',
    { reactionMessage: { key: { id: 'M0' }, text: '👍' } },
    'message.updated',
    { reaction: '👍', from: { jid: ann.phone, number: '4922200002', lid: ann.lid } },
  ],
  [
    'reaction taken back',
    { reactionMessage: { key: { id: 'M0' }, text: '' } },
    'message.updated',
    { reaction: null, from: { jid: ann.phone, number: '4922200002', lid: ann.lid } },
  ],
];

for (const [name, message, type, update] of actions) {
  test(`translate: ${name}`, () => {
    const changes = translate(fromAnn, message);
    const { event } = changes.events![0]!;
    assert.equal(event.type, type);
    assert.deepEqual(event.data, {
      messageId: 'M0',
      chat: ann.phone,
      chatNumber: '4922200002',
      chatLid: ann.lid,
      update,
    });
    assert.equal(changes.messages, undefined);
  });
}

test('translate: a revoke deletes, and tells by whom', () => {
  const changes = translate(fromAnn, { protocolMessage: { type: 0, key: { id: 'M0' } } });
  assert.deepEqual(changes.messageChanges, [{ messageId: 'M0', chat: ann.phone, deletedAt: at }]);
  const { event } = changes.events![0]!;
  assert.ok(event.type === 'message.deleted');
  assert.deepEqual(event.data.by, { jid: ann.phone, number: '4922200002', lid: ann.lid });
});

const silent: readonly (readonly [string, BinaryNode['attrs'], proto.IMessage])[] = [
  ['sender key only', { from: group, participant: ann.lid }, { senderKeyDistributionMessage: { groupId: group } }],
  ['history', { from: me.phone }, { protocolMessage: { type: 5, historySyncNotification: {} } }],
  ['key share', { from: me.phone }, { protocolMessage: { type: 6, appStateSyncKeyShare: {} } }],
  ['disappearing setting', fromAnn, { protocolMessage: { type: 3, ephemeralExpiration: 60 } }],
  ['album header', fromAnn, { albumMessage: { expectedImageCount: 2 } }],
  ['status', { from: 'status@broadcast', participant: ann.phone }, { conversation: 'my day' }],
  ['newsletter', { from: '123@newsletter' }, { conversation: 'news' }],
];

for (const [name, attrs, message] of silent) {
  test(`translate: no event for ${name}`, () => {
    assert.deepEqual(translate(attrs, message), {});
  });
}

test('translate: messages that the phone hands over', () => {
  const info: proto.IWebMessageInfo = {
    key: { remoteJid: ann.lid, fromMe: false, id: 'M9' },
    message: { conversation: 'late' },
    messageTimestamp: at / 1000,
    pushName: 'Ann',
  };
  const webMessageInfoBytes = proto.WebMessageInfo.encode(info).finish();
  const response = {
    protocolMessage: {
      type: 17,
      peerDataOperationRequestResponseMessage: {
        peerDataOperationResult: [{ placeholderMessageResendResponse: { webMessageInfoBytes } }],
      },
    },
  };
  const { event } = translate({ from: me.phone }, response, knowsAnn).events![0]!;
  assert.ok(event.type === 'message.received');
  assert.deepEqual(
    [event.data.message.id, event.data.message.chat, event.data.message.text],
    ['M9', ann.phone, 'late'],
  );
  assert.deepEqual(translate(fromAnn, response), {}, 'nobody else may');
});

test('translate: a redelivery has the same key, another message has not', () => {
  const key = (attrs: BinaryNode['attrs'], message: proto.IMessage) => translate(attrs, message).events![0]!.dedupeKey;
  const first = key(fromAnn, { conversation: 'x' });
  assert.equal(key({ ...fromAnn, offline: '1' }, { conversation: 'x' }), first);
  assert.notEqual(key({ ...fromAnn, id: 'M2' }, { conversation: 'x' }), first);
});

const receipt = (attrs: BinaryNode['attrs'], content?: BinaryNode[]) => {
  const node: BinaryNode = { tag: 'receipt', attrs: { id: 'S1', t: String(at / 1000), ...attrs }, content };
  return translateReceipt(node, context(knowsAnn));
};

const receipts: readonly (readonly [string, BinaryNode['attrs'], string | null, string])[] = [
  ['delivered', { from: '9002:3@lid' }, 'delivered', ann.phone],
  ['delivered to an inactive device', { from: ann.phone, type: 'inactive' }, 'delivered', ann.phone],
  ['read', { from: ann.lid, type: 'read' }, 'read', ann.phone],
  ['played', { from: ann.lid, type: 'played' }, 'played', ann.phone],
  ['read in a group', { from: group, participant: ann.lid, type: 'read' }, 'read', group],
  ['retry', { from: ann.lid, type: 'retry' }, null, ''],
  ['own device read', { from: me.lid, recipient: ann.lid, type: 'read-self' }, null, ''],
  ['own device got it', { from: '4911100001:0@s.whatsapp.net', recipient: ann.phone, type: 'sender' }, null, ''],
  ['own device in a group', { from: group, participant: me.lid }, null, ''],
];

for (const [name, attrs, status, chat] of receipts) {
  test(`translate: receipt, ${name}`, () => {
    const changes = receipt(attrs);
    if (status === null) {
      assert.deepEqual(changes, {});
      return;
    }
    const { event } = changes.events![0]!;
    assert.ok(event.type === 'message.updated');
    assert.deepEqual([event.data.messageId, event.data.chat, event.data.update], ['S1', chat, { status }]);
    const state = status === 'delivered' ? 'delivered' : 'read';
    assert.deepEqual(changes.messageChanges, [{ messageId: 'S1', chat, step: { state, at } }]);
  });
}

test('translate: one receipt for many messages', () => {
  const items = ['S2', 'S3'].map((id) => ({ tag: 'item', attrs: { id } }));
  const changes = receipt({ from: ann.lid, type: 'read' }, [{ tag: 'list', attrs: {}, content: items }]);
  assert.deepEqual(
    changes.messageChanges!.map((change) => change.messageId),
    ['S1', 'S2', 'S3'],
  );
  assert.equal(new Set(changes.events!.map((event) => event.dedupeKey)).size, 3);
});

const callMemory = () => new Map<string, CallOffer>();
const call = (calls: Map<string, CallOffer>, tag: string, attrs: BinaryNode['attrs'] = {}, content?: BinaryNode[]) =>
  translateCall(
    {
      tag: 'call',
      attrs: { from: ann.lid, id: 'C', t: String(at / 1000) },
      content: [{ tag, attrs: { 'call-id': 'CALL1', 'call-creator': '9002:1@lid', ...attrs }, content }],
    },
    { peek: knowsAnn, calls, now: at },
  );

test('translate: a video call from offer to end', () => {
  const calls = callMemory();
  const person = { callId: 'CALL1', from: ann.phone, fromNumber: '4922200002', fromLid: ann.lid };
  const shape = { ...person, isVideo: true, isGroup: false };
  const [offer] = call(calls, 'offer', {}, [{ tag: 'video', attrs: {} }]);
  assert.deepEqual(offer!.event.data, { ...shape, status: 'offer' });
  assert.deepEqual(call(calls, 'transport'), []);
  assert.deepEqual(call(calls, 'terminate', { reason: 'timeout' })[0]!.event.data, { ...shape, status: 'timeout' });
});

const callEnds: readonly (readonly [string, BinaryNode['attrs'], string])[] = [
  ['accept', {}, 'accept'],
  ['reject', {}, 'reject'],
  ['terminate', {}, 'terminate'],
  ['terminate', { reason: 'timeout' }, 'timeout'],
  ['terminate', { reason: 'accepted_elsewhere' }, 'accept'],
  ['terminate', { reason: 'rejected_elsewhere' }, 'reject'],
];

for (const [tag, attrs, status] of callEnds) {
  test(`translate: call ${tag} ${attrs.reason ?? ''}`, () => {
    const { event } = call(callMemory(), tag, attrs)[0]!;
    assert.ok(event.type === 'call');
    assert.equal(event.data.status, status);
  });
}

test('translate: a group call', () => {
  const { event } = call(callMemory(), 'offer', { 'group-jid': group })[0]!;
  assert.ok(event.type === 'call');
  assert.equal(event.data.isGroup, true);
});
