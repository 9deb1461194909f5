/** The cipher of the frames: the same as AES-256-GCM, frame by frame, and as strict. */
import assert from 'node:assert/strict';
import { createCipheriv, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { FrameCipher } from '../../../sandbox/src/server/transport/frame-cipher.ts';

const gcm = (key: Buffer, counter: number, plain: Buffer): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(counter, 8);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
};

/** The sealed text, from bytes that begin before it. */
const seal = (cipher: FrameCipher, plain: Buffer): Buffer => {
  const out = Buffer.alloc(3 + plain.length + 16);
  cipher.seal(plain, out, 3);
  return out.subarray(3);
};

/** The text, from bytes that begin before the sealed ones and go on after them. */
const open = (cipher: FrameCipher, sealed: Buffer): Buffer =>
  cipher.open(Buffer.concat([Buffer.alloc(5), sealed, Buffer.alloc(2)]), 5, 5 + sealed.length);

test('frames of every length are what AES-256-GCM makes of them, and open again', () => {
  const key = randomBytes(32);
  const [sealing, opening] = [new FrameCipher(key), new FrameCipher(key)];
  for (let counter = 0; counter < 1_100; counter += 1) {
    const plain = randomBytes((counter * 7) % 1_100);
    const sealed = seal(sealing, plain);
    assert.ok(sealed.equals(gcm(key, counter, plain)), `frame ${counter} of ${plain.length} bytes`);
    assert.ok(open(opening, sealed).equals(plain), `frame ${counter} opened`);
  }
});

test('a frame with a wrong bit, out of turn, or too short is refused', () => {
  const key = randomBytes(32);
  for (const length of [0, 5, 100, 1_200]) {
    const sealed = seal(new FrameCipher(key), randomBytes(length));
    for (let byte = 0; byte < sealed.length; byte += 9) {
      const wrong = Buffer.from(sealed);
      wrong[byte]! ^= 1;
      assert.throws(() => open(new FrameCipher(key), wrong));
    }
    const late = new FrameCipher(key);
    open(late, sealed);
    assert.throws(() => open(late, sealed));
    assert.throws(() => open(new FrameCipher(key), sealed.subarray(0, 15)));
  }
});
