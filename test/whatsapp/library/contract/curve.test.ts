/** Contract of the curve: Baileys calls these four functions of one object, and its own `verify` still accepts everything. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Curve, initAuthCreds, signedKeyPair } from 'baileys';
import { useNativeCurve } from '../../../../src/whatsapp/library/process.ts';
import { digest, inner } from './support.ts';

const stock = { ...Curve };
const [message, wrong] = [Buffer.from('a certificate'), randomBytes(64)];

test('the curve has these four functions, and can be changed', () => {
  assert.deepEqual(
    Object.entries(stock).map(([name, { length }]) => `${name}/${length}`),
    ['generateKeyPair/0', 'sharedKey/2', 'sign/2', 'verify/3'],
  );
  assert.ok(Object.values(Object.getOwnPropertyDescriptors(Curve)).every(({ writable }) => writable));
});

test('Baileys itself takes a wrong signature for a right one: once it does not, the override can shrink', () => {
  const { public: key } = stock.generateKeyPair();
  assert.equal(stock.verify(key, message, wrong), true);
});

test('keys, agreements and signatures of the two are worth the same', () => {
  const theirs = stock.generateKeyPair();
  useNativeCurve();
  const ours = Curve.generateKeyPair();
  assert.deepEqual(Curve.sharedKey(ours.private, theirs.public), stock.sharedKey(theirs.private, ours.public));
  assert.equal(Curve.verify(theirs.public, message, stock.sign(theirs.private, message)), true);
  assert.equal(stock.verify(ours.public, message, Curve.sign(ours.private, message)), true);
  assert.equal(Curve.verify(theirs.public, message, wrong), false);
});

test('Baileys calls the replaced functions: for new credentials, and for a pairing', () => {
  useNativeCurve();
  const { generateKeyPair } = Curve;
  let made = 0;
  Curve.generateKeyPair = () => {
    made += 1;
    return generateKeyPair();
  };
  const { signedIdentityKey } = initAuthCreds();
  assert.equal(made, 4);
  const { keyPair, signature } = signedKeyPair(signedIdentityKey, 2);
  const typed = Buffer.concat([Buffer.from([5]), keyPair.public]);
  assert.equal(Curve.verify(signedIdentityKey.public, typed, signature), true);
  assert.equal(digest(inner('Utils/validate-connection.js', 'configureSuccessfulPairing')), 'fe3aaf00b4f6');
});
