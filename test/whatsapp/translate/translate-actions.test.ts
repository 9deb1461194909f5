/** Edits, reactions, revokes, and what is no message, by tables. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BinaryNode, proto } from 'baileys';
import type { DeviceEvent } from '../../../src/domain/event.ts';
import { ann, at, fromAnn, group, knowsAnn, me, translate, Type, eventsIn } from '../driver.people.ts';

const annInPerson = { jid: ann.phone, number: '4922200002', lid: ann.lid };

const actions: readonly (readonly [string, proto.IMessage, DeviceEvent['type'], unknown])[] = [
  [
    'edit',
    {
      editedMessage: {
        message: {
          protocolMessage: { type: Type.MESSAGE_EDIT, key: { id: 'M0' }, editedMessage: { conversation: 'better' } },
        },
      },
    },
    'message.updated',
    { text: 'better' },
  ],
  [
    'edited caption',
    {
      protocolMessage: {
        type: Type.MESSAGE_EDIT,
        key: { id: 'M0' },
        editedMessage: { imageMessage: { caption: 'better' } },
      },
    },
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
  [
    'pin',
    { pinInChatMessage: { key: { id: 'M0' }, type: proto.Message.PinInChatMessage.Type.PIN_FOR_ALL } },
    'message.updated',
    { pinned: true, from: annInPerson },
  ],
  [
    'pin taken back',
    { pinInChatMessage: { key: { id: 'M0' }, type: proto.Message.PinInChatMessage.Type.UNPIN_FOR_ALL } },
    'message.updated',
    { pinned: false, from: annInPerson },
  ],
  [
    'edited event',
    {
      protocolMessage: {
        type: Type.MESSAGE_EDIT,
        key: { id: 'M0' },
        editedMessage: { eventMessage: { name: 'Party', isCanceled: true } },
      },
    },
    'message.updated',
    {
      text: 'Party',
      event: { name: 'Party', description: null, startsAt: null, endsAt: null, place: null, canceled: true },
    },
  ],
];

for (const [seconds, expiresInSeconds] of [
  [86_400, 86_400],
  [0, null],
] as const) {
  test(`translate: the timer of the chat, ${seconds} s`, () => {
    const timer = { protocolMessage: { type: Type.EPHEMERAL_SETTING, ephemeralExpiration: seconds } };
    const changes = translate(fromAnn, timer);
    const { event } = eventsIn(changes)[0]!;
    assert.ok(event.type === 'message.updated');
    assert.deepEqual([event.data.messageId, event.data.update], ['M1', { expiresInSeconds, from: annInPerson }]);
    assert.equal(changes.messages, undefined);
  });
}

for (const [name, message, type, update] of actions) {
  test(`translate: ${name}`, () => {
    const changes = translate(fromAnn, message);
    const { event } = eventsIn(changes)[0]!;
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
  const changes = translate(fromAnn, { protocolMessage: { type: Type.REVOKE, key: { id: 'M0' } } });
  assert.deepEqual(changes.messageChanges, [{ messageId: 'M0', chat: ann.phone, deletedAt: at, author: annInPerson }]);
  const { event } = eventsIn(changes)[0]!;
  assert.ok(event.type === 'message.deleted');
  assert.deepEqual(event.data.by, annInPerson);
});

test('translate: edits and revokes are of their author, but for revokes in a group', () => {
  const inGroup = { from: group, participant: ann.lid, participant_pn: ann.phone };
  const edit = {
    protocolMessage: { type: Type.MESSAGE_EDIT, key: { id: 'M0' }, editedMessage: { conversation: 'better' } },
  };
  const revoke = { protocolMessage: { type: Type.REVOKE, key: { id: 'M0' } } };
  const authorOf = (attrs: BinaryNode['attrs'], message: proto.IMessage) => {
    const changes = translate(attrs, message, knowsAnn);
    const { event, author } = eventsIn(changes)[0]!;
    assert.deepEqual(changes.messageChanges![0]!.author, author);
    const { messageId, chat } = event.data as { readonly messageId: string; readonly chat: string };
    return { messageId, chat, author };
  };
  assert.deepEqual(authorOf(fromAnn, edit), { messageId: 'M0', chat: ann.phone, author: annInPerson });
  assert.deepEqual(authorOf(inGroup, edit), { messageId: 'M0', chat: group, author: annInPerson });
  assert.deepEqual(authorOf(fromAnn, revoke), { messageId: 'M0', chat: ann.phone, author: annInPerson });
  assert.equal(authorOf(inGroup, revoke).author, undefined, 'an administrator may');
});

const silent: readonly (readonly [string, BinaryNode['attrs'], proto.IMessage])[] = [
  ['sender key only', { from: group, participant: ann.lid }, { senderKeyDistributionMessage: { groupId: group } }],
  [
    'history',
    { from: me.phone },
    { protocolMessage: { type: Type.HISTORY_SYNC_NOTIFICATION, historySyncNotification: {} } },
  ],
  [
    'key share',
    { from: me.phone },
    { protocolMessage: { type: Type.APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: {} } },
  ],
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
      type: Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
      peerDataOperationRequestResponseMessage: {
        peerDataOperationResult: [{ placeholderMessageResendResponse: { webMessageInfoBytes } }],
      },
    },
  };
  const { event } = eventsIn(translate({ from: me.phone }, response, knowsAnn))[0]!;
  assert.ok(event.type === 'message.received');
  assert.deepEqual(
    [event.data.message.id, event.data.message.chat, event.data.message.text],
    ['M9', ann.phone, 'late'],
  );
  assert.deepEqual(translate(fromAnn, response), {}, 'nobody else may');
});

const key = (attrs: BinaryNode['attrs'], message: proto.IMessage) => eventsIn(translate(attrs, message))[0]!.dedupeKey;

test('translate: a redelivery has the same key, another message has not', () => {
  const first = key(fromAnn, { conversation: 'x' });
  assert.equal(key({ ...fromAnn, offline: '1' }, { conversation: 'x' }), first);
  assert.notEqual(key({ ...fromAnn, id: 'M2' }, { conversation: 'x' }), first);
});
