/** The phones' own AES, HMAC and HKDF, against those of node:crypto. */
import assert from 'node:assert/strict';
import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openCbc, sealCbc } from '../../../sandbox/src/signal/aes.ts';
import { hkdf, Hmac } from '../../../sandbox/src/signal/sha256.ts';

test('AES-256-CBC is that of node:crypto, in both directions', () => {
  for (let length = 0; length < 100; length += 1) {
    const [key, iv, text] = [randomBytes(32), randomBytes(16), randomBytes(length)];
    const cipher = createCipheriv('aes-256-cbc', key, iv);
    const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
    assert.deepEqual(Buffer.from(sealCbc(key, iv, text)), sealed);
    assert.deepEqual(Buffer.from(openCbc(key, iv, sealed)), text);
  }
});

test('what is no ciphertext under the key is refused', () => {
  const [key, iv] = [randomBytes(32), randomBytes(16)];
  const sealed = sealCbc(key, iv, Buffer.alloc(20));
  assert.throws(() => openCbc(key, iv, sealed.subarray(0, 31)));
  assert.throws(() => openCbc(key, iv, new Uint8Array(0)));
  // The last byte of the block before is that of the padding, changed.
  const spoiled = Uint8Array.from(sealed);
  spoiled[15]! ^= 0x40;
  assert.throws(() => openCbc(key, iv, spoiled));
});

test('HMAC and HKDF are those of node:crypto', () => {
  for (let length = 0; length < 200; length += 1) {
    const [key, salt, bytes] = [randomBytes(32), randomBytes(32), randomBytes(length)];
    const mac = new Uint8Array(32);
    const hmac = new Hmac().setKey(Buffer.concat([bytes, key]), length, length + 32);
    hmac.begin();
    hmac.add(bytes, 0, length >> 1);
    hmac.add(bytes, length >> 1, length);
    hmac.end(mac, mac.length);
    assert.deepEqual(Buffer.from(mac), createHmac('sha256', key).update(bytes).digest());
    const derived = new Uint8Array(80);
    hkdf(derived, salt, bytes, Buffer.from('info'));
    assert.deepEqual(Buffer.from(derived), Buffer.from(hkdfSync('sha256', bytes, salt, 'info', 80)));
  }
});
