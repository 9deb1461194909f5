/** The handshake and the frames of a connection, against the sandbox's own, Baileys' cipher and the WebSocket library. */
import assert from 'node:assert/strict';
import { hkdfSync, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { aesDecryptGCM, aesEncryptGCM, makeNoiseHandler, NOISE_MODE, NOISE_WA_HEADER, proto } from 'baileys';
import { pino } from 'pino';
import { certify, makeKeyPair, answerHello, makeServerIdentity } from '../../../sandbox/src/server/transport/noise.ts';
import { FrameCipher, framed, FrameReader, lengthBytes, tagBytes } from '../../../src/whatsapp/socket/frames.ts';
import { nodeReader } from '../../../src/whatsapp/socket/node-decoder.ts';
import { nodeWriter } from '../../../src/whatsapp/socket/node-encoder.ts';
import { Handshake } from '../../../src/whatsapp/socket/handshake.ts';
import { cpuMsOf } from '../../support/cpu.ts';

const root = makeKeyPair();
const noiseKey = makeKeyPair();
const whoIAm = Buffer.from('who I am');

const shake = ({ rootKey = root.public, certified = true, change = (reply: Uint8Array): Uint8Array => reply } = {}) => {
  const key = makeKeyPair();
  const certificate = certify(root, certified ? key.public : makeKeyPair().public);
  const handshake = new Handshake();
  const { reply, finish } = answerHello(makeServerIdentity(key, certificate), handshake.hello());
  const { message } = handshake.finish(change(reply), { noiseKey, rootKey, payload: whoIAm });
  return { server: finish(message) };
};

describe('the handshake', () => {
  it('tells the server who it is', () => {
    const { server } = shake();
    assert.deepEqual(Buffer.from(server.clientKey), Buffer.from(noiseKey.public));
    assert.deepEqual(Buffer.from(server.payload), whoIAm);
  });

  it('fails with a server that the root key has not certified', () => {
    assert.throws(() => shake({ rootKey: makeKeyPair().public }), /intermediate certificate is wrong/);
  });

  it("fails with another server's certificate", () => {
    assert.throws(() => shake({ certified: false }), /of another server/);
  });

  it('verifies what it has seen before under another root key, and for another server, anew', () => {
    const [key, other] = [makeKeyPair(), makeKeyPair()];
    const certificate = certify(root, key.public);
    const meet = (rootKey: Uint8Array, server = key): void => {
      const handshake = new Handshake();
      const { reply } = answerHello(makeServerIdentity(server, certificate), handshake.hello());
      handshake.finish(reply, { noiseKey, rootKey, payload: whoIAm });
    };
    for (let time = 0; time < 2; time += 1) {
      assert.doesNotThrow(() => meet(root.public));
      assert.throws(() => meet(other.public), /intermediate certificate is wrong/);
      assert.throws(() => meet(root.public, other), /of another server/);
    }
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
    const cut = (reply: Uint8Array): Uint8Array => {
      const { serverHello } = proto.HandshakeMessage.decode(reply);
      serverHello!.static = serverHello!.static!.subarray(-12);
      return proto.HandshakeMessage.encode({ serverHello: serverHello! }).finish();
    };
    assert.throws(() => shake({ change: cut }), /too short/);
  });
});

const keys = [randomBytes(32), randomBytes(32)] as const;
const nonce = (counter: number): Buffer => Buffer.concat([Buffer.alloc(11), Buffer.from([counter])]);
const nothing = Buffer.alloc(0);

describe('frames', () => {
  it('are encrypted as Baileys encrypts them, each under the next counter', () => {
    const cipher = new FrameCipher(...keys);
    const sizes = [...Array.from({ length: 200 }, (_, size) => size), 1_023, 1_024, 1_025, 70_000, 3];
    for (const [counter, size] of sizes.entries()) {
      const plain = randomBytes(size);
      const sealed = cipher.seal(plain).subarray(lengthBytes);
      assert.equal(sealed.length, size + tagBytes);
      assert.deepEqual(aesDecryptGCM(sealed, keys[0], nonce(counter), nothing), plain);
      assert.deepEqual(cipher.open(aesEncryptGCM(plain, keys[1], nonce(counter), nothing)), plain);
    }
  });

  it("are understood by Baileys' own handler, and understand it", async () => {
    const keyPair = { public: randomBytes(32), private: randomBytes(32) };
    const engine = makeNoiseHandler({ keyPair, NOISE_HEADER: NOISE_WA_HEADER, logger: pino({ level: 'silent' }) });
    await engine.finishInit();
    // The keys of one that has shaken no hands.
    const both = Buffer.from(hkdfSync('sha256', nothing, Buffer.from(NOISE_MODE), nothing, 64));
    const other = new FrameCipher(both.subarray(32), both.subarray(0, 32));
    for (const id of ['1', '2', '3']) {
      const node = { tag: 'message', attrs: { id }, content: [{ tag: 'enc', attrs: {}, content: randomBytes(300) }] };
      const frame = engine.encodeFrame(nodeWriter.encode(node));
      const reader = new FrameReader();
      const intro = id === '1' ? NOISE_WA_HEADER.length : 0;
      for (const sealed of reader.read(frame.subarray(intro)))
        assert.deepEqual(nodeReader.decode(other.open(sealed)), node);
      const plain = nodeWriter.encode(node);
      const heard: unknown[] = [];
      await engine.decodeFrame(other.seal(plain), (each) => heard.push(each));
      assert.deepEqual(heard, [nodeReader.decode(plain)]);
    }
  });

  it('that were changed, left out or come twice are refused', () => {
    const first = aesEncryptGCM(Buffer.from('one'), keys[1], nonce(0), nothing);
    const second = aesEncryptGCM(Buffer.from('two'), keys[1], nonce(1), nothing);
    for (let at = 0; at < first.length; at += 1) {
      const changed = Buffer.from(first);
      changed[at]! ^= 128;
      assert.throws(() => new FrameCipher(...keys).open(changed));
    }
    assert.throws(() => new FrameCipher(...keys).open(second));
    assert.throws(() => new FrameCipher(...keys).open(first.subarray(0, 15)));
    const cipher = new FrameCipher(...keys);
    cipher.open(first);
    assert.throws(() => cipher.open(first));
  });

  it('are found wherever the stream is cut', () => {
    const bytes = Buffer.concat(['one', '', 'three'].map((text) => framed(Buffer.from(text))));
    for (let first = 0; first <= bytes.length; first += 1) {
      for (let second = first; second <= bytes.length; second += 1) {
        const reader = new FrameReader();
        const found: string[] = [];
        for (const part of [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]) {
          for (const frame of reader.read(part)) found.push(frame.toString());
        }
        assert.deepEqual(found, ['one', '', 'three']);
      }
    }
  });
});

it('a frame of 16 MB in pieces of 4 kB is put together once', () => {
  const bytes = framed(Buffer.alloc(16_000_000, 7));
  const reader = new FrameReader();
  let found = 0;
  const ms = cpuMsOf(() => {
    for (let at = 0; at < bytes.length; at += 4_096)
      for (const frame of reader.read(bytes.subarray(at, at + 4_096))) found += frame.length;
  });
  assert.equal(found, 16_000_000);
  // 5 s when each piece was joined to those before it.
  assert.ok(ms < 1_000, `${ms} ms`);
});
