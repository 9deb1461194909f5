/** Signatures of the network: a wrong one is none. */
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import { test } from 'node:test';
import { Curve } from 'baileys';
import { useNativeCurve } from '../../../src/whatsapp/library/process.ts';

test('driver: a signature counts for its key and its message only', () => {
  useNativeCurve();
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

test('driver: keys and agreements are those of the curve that everybody has', () => {
  useNativeCurve();
  const [one, two] = [Curve.generateKeyPair(), Curve.generateKeyPair()];
  assert.deepEqual([one.private.length, one.public.length], [32, 32]);
  const shared = Curve.sharedKey(one.private, two.public);
  assert.deepEqual(Curve.sharedKey(two.private, one.public), shared);
  const raw = (key: string, bytes: Uint8Array) => Buffer.concat([Buffer.from(key, 'hex'), bytes]);
  const privateKey = createPrivateKey({
    key: raw('302e020100300506032b656e04220420', one.private),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey({ key: raw('302a300506032b656e032100', two.public), format: 'der', type: 'spki' });
  assert.deepEqual(diffieHellman({ privateKey, publicKey }), shared, 'as Node has it');
});
