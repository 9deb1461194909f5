/** Texts that phones read the short way say what the protocol's own reader says; anything else is left to that. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proto } from 'baileys';
import { readPlainText } from '../../../sandbox/src/phones/reading/plain-text.ts';

const read = (message: proto.IMessage) => {
  const bytes = Buffer.from(proto.Message.encode(message).finish());
  // What follows is padding.
  return readPlainText(Buffer.concat([bytes, Buffer.alloc(3, 3)]), bytes.length);
};

const messageContextInfo = { messageSecret: new Uint8Array(32).fill(7) };
const deviceSent = (message: proto.IMessage): proto.IMessage => ({
  deviceSentMessage: { destinationJid: '1@lid', message },
});

test('a text in either form is read, with its secret', () => {
  for (const text of ['a', 'Grüße 👋', 'long '.repeat(10_000)]) {
    const plain = { conversation: text };
    assert.deepEqual(read(plain), plain);
    const secret = { ...plain, messageContextInfo };
    assert.deepEqual(read(secret), secret);
    assert.deepEqual(read({ extendedTextMessage: { text }, messageContextInfo }), secret);
    assert.deepEqual(read(deviceSent(plain)), deviceSent(plain));
    const inner = { extendedTextMessage: { text }, messageContextInfo };
    assert.deepEqual(read({ ...deviceSent(inner), messageContextInfo }), { ...deviceSent(secret), messageContextInfo });
  }
});

test('anything else is not', () => {
  const text = { conversation: 'text' };
  const senderKeyDistributionMessage = { groupId: '1@g.us', axolotlSenderKeyDistributionMessage: Buffer.alloc(5) };
  for (const message of [
    {},
    { messageContextInfo },
    { conversation: '' },
    { extendedTextMessage: { text: '' } },
    { extendedTextMessage: { text: 'text', contextInfo: { stanzaId: 'quoted' } } },
    { extendedTextMessage: { contextInfo: { stanzaId: 'quoted' } } },
    { ...text, senderKeyDistributionMessage },
    { ...text, imageMessage: { caption: 'image' } },
    { reactionMessage: { text: 'reaction' } },
    { protocolMessage: { type: 0 } },
    { locationMessage: { degreesLatitude: 1.5 } },
    deviceSent({ ...text, senderKeyDistributionMessage }),
    deviceSent({ imageMessage: { caption: 'image' } }),
    { ...deviceSent(text), imageMessage: { caption: 'image' } },
    { deviceSentMessage: { destinationJid: '1@lid', message: text, phash: '2:abc' } },
    { deviceSentMessage: { message: text } },
  ]) {
    assert.equal(read(message), null, JSON.stringify(message));
  }
  assert.equal(readPlainText(Buffer.from([0x0a, 0x7f, 1, 2]), 4), null);
});
