/** The handshake and the frames of a connection, against the sandbox's own, Baileys' cipher and the WebSocket library. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aesDecryptGCM, aesEncryptGCM, type BinaryNode, proto } from 'baileys';
import { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import * as library from 'ws';
import { certify, makeKeyPair } from '../../src/sandbox/server/certificate.ts';
import { answerHello, makeServerIdentity } from '../../src/sandbox/server/noise.ts';
import { dispatch } from '../../src/whatsapp/line/dispatch.ts';
import { FrameCipher, tagBytes } from '../../src/whatsapp/line/frame-cipher.ts';
import { FrameReader, writeLength } from '../../src/whatsapp/line/frames.ts';
import { Handshake } from '../../src/whatsapp/line/handshake.ts';
import { plainFrame, sealedFrames } from '../../src/whatsapp/line/outgoing-bytes.ts';

const root = makeKeyPair();
const noiseKey = makeKeyPair();
const payload = Buffer.from('who I am');

const shake = ({ rootKey = root.public, certified = true, change = (reply: Uint8Array): Uint8Array => reply } = {}) => {
  const key = makeKeyPair();
  const certificate = certify(root, certified ? key.public : makeKeyPair().public);
  const handshake = new Handshake();
  const { reply, finish } = answerHello(makeServerIdentity(key, certificate), handshake.hello());
  const { message } = handshake.finish(change(reply), { noiseKey, rootKey, payload });
  return { server: finish(message) };
};

describe('the handshake', () => {
  it('tells the server who it is', () => {
    const { server } = shake();
    assert.deepEqual(Buffer.from(server.clientKey), Buffer.from(noiseKey.public));
    assert.deepEqual(Buffer.from(server.payload), payload);
  });

  it('fails with a server that the root key has not certified', () => {
    assert.throws(() => shake({ rootKey: makeKeyPair().public }), /intermediate certificate is wrong/);
  });

  it("fails with another server's certificate", () => {
    assert.throws(() => shake({ certified: false }), /of another server/);
  });

  it('fails where anything of the answer was changed on its way', () => {
    const changed = (part: 'ephemeral' | 'static' | 'payload', at: number) => (reply: Uint8Array) => {
      const { serverHello } = proto.HandshakeMessage.decode(reply);
      serverHello![part]![at]! ^= 1;
      return proto.HandshakeMessage.encode({ serverHello: serverHello! }).finish();
    };
    for (const part of ['ephemeral', 'static', 'payload'] as const) {
      for (const at of [0, 15, 30]) assert.throws(() => shake({ change: changed(part, at) }), `${part} ${at}`);
    }
    assert.throws(() => shake({ change: () => new Uint8Array() }), /has not answered/);
  });
});

const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] as const;
const nonce = (counter: number): Buffer => Buffer.concat([Buffer.alloc(11), Buffer.from([counter])]);
const nothing = Buffer.alloc(0);

/** It has no types. */
const Receiver: new (options: { isServer: boolean }) => Writable = Reflect.get(library, 'Receiver');

describe('frames', () => {
  it('are encrypted as Baileys encrypts them, each under the next counter', () => {
    const cipher = new FrameCipher(...keys);
    for (let counter = 0; counter < 5; counter += 1) {
      const plain = Buffer.alloc(40 * counter, counter);
      const sealed = Buffer.alloc(plain.length + tagBytes);
      cipher.seal(plain, sealed, 0);
      assert.deepEqual(aesDecryptGCM(sealed, keys[0], nonce(counter), nothing), plain);
      assert.deepEqual(cipher.open(aesEncryptGCM(plain, keys[1], nonce(counter), nothing)), plain);
    }
  });

  it('that were changed, left out or come twice are refused', () => {
    const first = aesEncryptGCM(Buffer.from('one'), keys[1], nonce(0), nothing);
    const second = aesEncryptGCM(Buffer.from('two'), keys[1], nonce(1), nothing);
    const changed = Buffer.from(first);
    changed[1]! ^= 1;
    assert.throws(() => new FrameCipher(...keys).open(changed));
    assert.throws(() => new FrameCipher(...keys).open(second));
    assert.throws(() => new FrameCipher(...keys).open(first.subarray(0, 15)));
    const cipher = new FrameCipher(...keys);
    cipher.open(first);
    assert.throws(() => cipher.open(first));
  });

  it('are found wherever the stream is cut', () => {
    const bytes = Buffer.concat(
      ['one', '', 'three'].map((text) => {
        const framed = Buffer.alloc(3 + text.length);
        writeLength(framed, 0, text.length);
        framed.write(text, 3);
        return framed;
      }),
    );
    for (let first = 0; first <= bytes.length; first += 1) {
      for (let second = first; second <= bytes.length; second += 1) {
        const reader = new FrameReader();
        const found: string[] = [];
        for (const part of [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]) {
          reader.read(part, (frame) => found.push(frame.toString()));
        }
        assert.deepEqual(found, ['one', '', 'three']);
      }
    }
  });

  it('go in messages that the WebSocket library reads, whatever their length', () => {
    const sizes = [0, 1, 106, 107, 108, 400, 65_516, 65_517, 65_600];
    const plain = sizes.map((size) => Buffer.alloc(size, size % 251));
    const receiver = new Receiver({ isServer: true });
    const messages: Buffer[] = [];
    receiver.on('message', (data: Buffer) => messages.push(data));
    receiver.write(plainFrame(Buffer.from('WA'), Buffer.from('hello')));
    receiver.write(sealedFrames(new FrameCipher(...keys), plain));
    assert.deepEqual(messages.shift(), Buffer.from('WA\0\0\x05hello'));
    const reader = new FrameReader();
    const found: Buffer[] = [];
    for (const message of messages) reader.read(message, (frame) => found.push(frame));
    assert.equal(messages.length, sizes.length);
    assert.deepEqual(
      found.map((frame, counter) => aesDecryptGCM(frame, keys[0], nonce(counter), nothing)),
      plain,
    );
  });

  it('too long for their length are not sent', () => {
    assert.throws(() => sealedFrames(new FrameCipher(...keys), [new Uint8Array(2 ** 24)]), /too long/);
  });
});

const namesOf = (node: BinaryNode): string[] => {
  const names: string[] = [];
  const socket = new EventEmitter();
  socket.emit = (name) => names.push(String(name)) > 0;
  dispatch(socket, node);
  return names;
};

describe('a stanza', () => {
  it('is made known under all the names that Baileys gives it', () => {
    const node = { tag: 'iq', attrs: { id: '7', type: 'set' }, content: [{ tag: 'pair-device', attrs: {} }] };
    assert.deepEqual(namesOf(node), [
      'frame',
      'TAG:7',
      'CB:iq,id:7,pair-device',
      'CB:iq,id:7',
      'CB:iq,id',
      'CB:iq,type:set,pair-device',
      'CB:iq,type:set',
      'CB:iq,type',
      'CB:iq,,pair-device',
      'CB:iq',
    ]);
  });

  it('that comes with every message has no more names than anybody listens to', () => {
    assert.deepEqual(namesOf({ tag: 'message', attrs: { id: '1', from: 'a' } }), ['frame', 'CB:message']);
    assert.deepEqual(namesOf({ tag: 'receipt', attrs: { id: '1', from: 'a' } }), ['frame', 'CB:receipt']);
    assert.deepEqual(namesOf({ tag: 'ack', attrs: { id: '1', class: 'message' } }), ['frame', 'TAG:1', 'CB:ack']);
    const refused = namesOf({ tag: 'ack', attrs: { id: '1', class: 'message', error: '463' } });
    assert.ok(refused.includes('CB:ack,class:message'));
  });
});
