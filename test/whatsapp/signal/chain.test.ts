/** The parts of a step along a chain: the padding of a message, and HMAC with SHA-256. */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Hmac } from '../../../src/whatsapp/signal/hmac.ts';
import { open, seal, step } from '../../../src/whatsapp/signal/chain.ts';

test('a message: what is no padding is left to the bridge', () => {
  // The keys are those of the last step, whichever it was.
  step(randomBytes(32), 0);
  /** A block that ends in these, without the block of padding behind it. */
  const openedOf = (...end: readonly number[]): Uint8Array | null => {
    const block = Buffer.alloc(16, 0x77);
    block.set(end, block.length - end.length);
    return open(seal(block).subarray(0, 16));
  };
  for (let length = 1; length <= 16; length += 1) {
    const padding = Array.from({ length }, () => length);
    assert.equal(openedOf(...padding)?.length, 16 - length);
    if (length > 1) assert.equal(openedOf(length - 1, ...padding.slice(1)), null, 'its first byte is another one');
  }
  for (const end of [0, 17, 0x77, 255]) assert.equal(openedOf(end), null);
  assert.equal(open(new Uint8Array()), null);
  const sealed = seal(Buffer.alloc(40, 1));
  for (const length of [1, 15, 17, 47]) assert.equal(open(sealed.subarray(0, length)), null, `${length} bytes`);
});

test('HMAC-SHA-256 gives what node:crypto gives, whatever the length and the pieces', () => {
  const hmac = new Hmac();
  for (let length = 0; length < 300; length += 1) {
    const [key, bytes, out] = [randomBytes(32), randomBytes(length), new Uint8Array(32)];
    const cut = length % 67;
    hmac
      .setKey(key)
      .begin()
      .add(bytes, 0, Math.min(cut, length))
      .add(bytes, Math.min(cut, length))
      .addByte(length & 0xff)
      .end(out);
    const expected = createHmac('sha256', key)
      .update(bytes)
      .update(Buffer.from([length & 0xff]))
      .digest();
    assert.deepEqual(Buffer.from(out), expected, `${length} bytes`);
  }
});
