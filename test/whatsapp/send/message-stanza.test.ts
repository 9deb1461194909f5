/** The stanza of a message to a person, against what Baileys makes of the same message. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { proto } from 'baileys';
import { getMessageReportingToken } from 'baileys/lib/Utils/reporting-utils.js';
import { forOwnDevices, messageStanza, shapeOf } from '../../../src/whatsapp/send/message-stanza.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';

const to = '4915551110001@s.whatsapp.net';
const lidWire = { to: '200001@lid', peerPhone: to, own: '100001@lid' };
const phoneWire = { to, peerPhone: null, own: '4915550000001@s.whatsapp.net' };

describe('the stanza of a message', () => {
  it('carries the reporting token that Baileys computes, with the sender in its own place', async () => {
    for (const text of ['a', 'hello', 'Grüße 👋', 'long '.repeat(500)]) {
      const messageSecret = randomBytes(32);
      const message = proto.Message.create({
        extendedTextMessage: { text },
        messageContextInfo: { messageSecret },
      });
      const bytes = Buffer.from(proto.Message.encode(message).finish());
      // The engine names the sender first and the chat behind it for a message in a group; for one to a person it would put the chat twice.
      const key = { id: '3EB0AA', fromMe: true, remoteJid: lidWire.own, participant: lidWire.to };
      const envelope = { id: key.id, wire: lidWire, message, bytes, encrypted: [], token: null };
      const { content } = await messageStanza(newCredentials(), envelope);
      assert.deepEqual(content, [await getMessageReportingToken(bytes, message, key)]);
    }
  });

  it('names the phone number beside a LID, and the recipient alone by number', async () => {
    const message = proto.Message.create({ extendedTextMessage: { text: 'hello' } });
    const bytes = proto.Message.encode(message).finish();
    for (const [wire, attrs] of [
      [lidWire, { id: '3EB0AA', to: '200001@lid', type: 'text', peer_recipient_pn: to }],
      [phoneWire, { id: '3EB0AA', to, type: 'text' }],
    ] as const) {
      const envelope = { id: '3EB0AA', wire, message, bytes, encrypted: [], token: null };
      assert.deepEqual((await messageStanza(newCredentials(), envelope)).attrs, attrs);
    }
  });

  it('tells the own devices whom it went to', () => {
    const message = { extendedTextMessage: { text: 'hello' }, messageContextInfo: { messageSecret: randomBytes(32) } };
    const { deviceSentMessage, messageContextInfo } = proto.Message.decode(forOwnDevices(to, message));
    assert.equal(deviceSentMessage?.destinationJid, to);
    assert.equal(deviceSentMessage.message?.extendedTextMessage?.text, 'hello');
    assert.deepEqual(Buffer.from(messageContextInfo!.messageSecret!), message.messageContextInfo.messageSecret);
  });

  it('names the kind of media as the apps do', () => {
    const kinds: readonly (readonly [proto.IMessage, string])[] = [
      [{ imageMessage: {} }, 'image'],
      [{ videoMessage: {} }, 'video'],
      [{ videoMessage: { gifPlayback: true } }, 'gif'],
      [{ audioMessage: { ptt: false } }, 'audio'],
      [{ audioMessage: { ptt: true } }, 'ptt'],
      [{ documentMessage: {} }, 'document'],
      [{ stickerMessage: {} }, 'sticker'],
    ];
    for (const [message, mediatype] of kinds) {
      const { type, enc } = shapeOf(message);
      assert.deepEqual([type, enc], ['media', { mediatype }]);
    }
  });
});
