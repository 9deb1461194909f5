/** Frames whose key streams are made together are sealed and opened as by themselves, whatever was expected. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { aesDecryptGCM, aesEncryptGCM } from 'baileys';
import fc from 'fast-check';
import { FrameCipher, smallBytes, tagBytes } from '../../src/whatsapp/line/frame-cipher.ts';

const keys = [randomBytes(32), randomBytes(32)] as const;
const nothing = Buffer.alloc(0);
const nonce = (counter: number): Buffer =>
  Buffer.concat([Buffer.alloc(10), Buffer.from([counter >> 8, counter & 255])]);

const size = fc.oneof(
  { weight: 8, arbitrary: fc.nat(300) },
  { weight: 1, arbitrary: fc.constantFrom(0, 15, 16, 17, smallBytes - 1, smallBytes, smallBytes + 1, 3_000) },
);
/** What is expected, what comes in its place, and how much of that. */
const step = fc.record({
  expected: fc.array(size, { maxLength: 40 }),
  other: fc.option(size),
  taken: fc.nat(40),
});

it('frames that come together are sealed and opened as Baileys does it, and so are those that were not expected', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 5 }), (steps) => {
      const cipher = new FrameCipher(...keys);
      let counter = 0;
      for (const { expected, other, taken } of steps) {
        const plain = expected.map((length) => randomBytes(length));
        cipher.expectOut(plain);
        cipher.expectIn(plain.map(({ length }) => Buffer.alloc(length + tagBytes)));
        if (other !== null) plain[taken % (plain.length + 1)] = randomBytes(other);
        for (const each of plain.slice(0, taken)) {
          const sealed = Buffer.alloc(each.length + tagBytes);
          cipher.seal(each, sealed, 0);
          assert.deepEqual(aesDecryptGCM(sealed, keys[0], nonce(counter), nothing), each);
          assert.deepEqual(cipher.open(aesEncryptGCM(each, keys[1], nonce(counter), nothing)), each);
          counter += 1;
        }
      }
    }),
    { numRuns: 60, seed: 3 },
  );
});

it('a frame among others that was changed, or stands in the place of another, is refused', () => {
  const sealed = Array.from({ length: 5 }, (_, at) => aesEncryptGCM(Buffer.alloc(40, at), keys[1], nonce(at), nothing));
  for (let bad = 0; bad < sealed.length; bad += 1) {
    const changed = Buffer.from(sealed[bad]!);
    changed[3]! ^= 1;
    for (const wrong of [sealed[(bad + 1) % 5]!, changed]) {
      const cipher = new FrameCipher(...keys);
      const frames = sealed.with(bad, wrong);
      cipher.expectIn(frames);
      for (const frame of frames.slice(0, bad)) cipher.open(frame);
      assert.throws(() => cipher.open(wrong), /changed on its way/);
    }
  }
});
