/** Signatures of the network: a wrong one is none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Curve } from 'baileys';
import { verifySignatures } from '../../src/whatsapp/signatures.ts';

test('driver: a signature counts for its key and its message only', () => {
  verifySignatures();
  const pair = Curve.generateKeyPair();
  const other = Curve.generateKeyPair();
  const message = Buffer.from('a certificate');
  const signature = Curve.sign(pair.private, message);
  const changed = Buffer.from(signature);
  changed[3]! ^= 1;
  assert.equal(Curve.verify(pair.public, message, signature), true);
  assert.equal(Curve.verify(pair.public, message, changed), false);
  assert.equal(Curve.verify(other.public, message, signature), false);
  assert.equal(Curve.verify(pair.public, Buffer.from('another one'), signature), false);
  assert.equal(Curve.verify(pair.public, message, signature.subarray(1)), false);
  assert.equal(Curve.verify(new Uint8Array(3), message, signature), false);
});
