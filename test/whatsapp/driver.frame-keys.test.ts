/** The keys of frames as key objects: nothing is different but the time. */
import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { keepFrameKeys } from '../../src/whatsapp/frame-keys.ts';

const iv = Buffer.alloc(12);
const seal = (key: Uint8Array, text: string): Buffer => {
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
};
const open = (key: Uint8Array, sealed: Buffer): string => {
  const decipher = createDecipheriv('aes-256-gcm', key, iv);
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]).toString();
};

test('driver: a key that is kept is the key that was given, also when its buffer changes', () => {
  const key = randomBytes(32);
  const before = seal(key, 'frame');
  keepFrameKeys();
  keepFrameKeys();
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(seal(key, 'frame'), before);
    assert.equal(open(key, before), 'frame');
    assert.throws(() => open(randomBytes(32), before));
  }
  key[0]! ^= 1;
  assert.notDeepEqual(seal(key, 'frame'), before);
  assert.throws(() => open(key, before));
  assert.throws(() => seal(randomBytes(16), 'frame'), /key length/i);
  const legacy = createCipheriv('aes-256-cbc', randomBytes(32), randomBytes(16));
  assert.equal(legacy.update('frame').length + legacy.final().length, 16);
});
