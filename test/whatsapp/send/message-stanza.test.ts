/** The stanza of a message to a person, against what Baileys makes of the same message. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { proto, unpadRandomMax16 } from 'baileys';
import { getMessageReportingToken } from 'baileys/lib/Utils/reporting-utils.js';
import { textMessage, unpadded } from '../../../src/whatsapp/send/message-bytes.ts';
import { forOwnDevices, messageStanza, padded, reportingOfText } from '../../../src/whatsapp/send/message-stanza.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';

const to = '4915551110001@s.whatsapp.net';
const lidWire = { to: '200001@lid', peerPhone: to, own: '100001@lid' };
const phoneWire = { to, peerPhone: null, own: '4915550000001@s.whatsapp.net' };

describe('a message as bytes', () => {
  for (const text of ['', 'a', 'Grüße 👋', 'x'.repeat(93), 'x'.repeat(127), 'x'.repeat(128), 'long '.repeat(5_000)]) {
    it(`is what its protobuf writes: ${Buffer.byteLength(text)} bytes of text`, () => {
      const messageSecret = randomBytes(32);
      const message = proto.Message.create({ extendedTextMessage: { text }, messageContextInfo: { messageSecret } });
      const bytes = textMessage(text, messageSecret);
      assert.deepEqual(bytes, Buffer.from(proto.Message.encode(message).finish()));
      for (const context of [{ messageSecret }, null]) {
        const sent = { deviceSentMessage: { destinationJid: to, message }, messageContextInfo: context };
        assert.deepEqual(
          forOwnDevices(to, { messageContextInfo: context }, bytes),
          Buffer.from(proto.Message.encode(sent).finish()),
        );
      }
    });
  }
});

describe('the padding of a message', () => {
  it('is taken off as Baileys does it, and what has none is refused as it refuses it', () => {
    const taken = (take: (bytes: Uint8Array) => Uint8Array, bytes: Uint8Array): Uint8Array | null => {
      try {
        return take(bytes);
      } catch {
        return null;
      }
    };
    for (let length = 0; length < 40; length += 1) {
      for (const last of [0, 1, 2, 15, 16, 17, length, length + 1, 255]) {
        const whole = randomBytes(length + 8);
        const bytes = whole.subarray(4, 4 + length);
        if (length > 0) bytes[length - 1] = last;
        const read = taken(unpadded, bytes);
        assert.deepEqual(read, taken(unpadRandomMax16, bytes));
        assert.ok(read === null || !Buffer.isBuffer(read), 'bytes of which the protobuf reads text as of the others');
      }
    }
  });
});

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
      assert.deepEqual(
        reportingOfText(messageSecret, text, key.id, lidWire),
        await getMessageReportingToken(bytes, message, key),
      );
    }
  });

  it('names the phone number beside a LID, and the recipient alone by number', async () => {
    const message = proto.Message.create({ extendedTextMessage: { text: 'hello' } });
    const bytes = proto.Message.encode(message).finish();
    for (const [wire, attrs] of [
      [lidWire, { id: '3EB0AA', to: '200001@lid', type: 'text', peer_recipient_pn: to }],
      [phoneWire, { id: '3EB0AA', to, type: 'text' }],
    ] as const) {
      const envelope = { id: '3EB0AA', wire, message, bytes, sealed: [], token: null };
      assert.deepEqual((await messageStanza(newCredentials(), envelope)).attrs, attrs);
    }
  });

  it('pads by 1 to 16 bytes, each as often as the other', () => {
    const lengths = new Map<number, number>();
    for (let n = 0; n < 4_000; n += 1) {
      const bytes = padded(Buffer.from('message'));
      assert.equal(Buffer.from(unpadRandomMax16(bytes)).toString(), 'message');
      lengths.set(bytes.length - 7, (lengths.get(bytes.length - 7) ?? 0) + 1);
    }
    assert.deepEqual(
      [...lengths.keys()].sort((a, b) => a - b),
      Array.from({ length: 16 }, (_, n) => n + 1),
    );
    for (const count of lengths.values()) assert.ok(count > 100, `${count} of 4,000`);
  });

  it('tells the own devices whom it went to', () => {
    const message = { extendedTextMessage: { text: 'hello' }, messageContextInfo: { messageSecret: randomBytes(32) } };
    const bytes = proto.Message.encode(message).finish();
    const { deviceSentMessage, messageContextInfo } = proto.Message.decode(forOwnDevices(to, message, bytes));
    assert.equal(deviceSentMessage?.destinationJid, to);
    assert.equal(deviceSentMessage.message?.extendedTextMessage?.text, 'hello');
    assert.deepEqual(Buffer.from(messageContextInfo!.messageSecret!), message.messageContextInfo.messageSecret);
  });
});
