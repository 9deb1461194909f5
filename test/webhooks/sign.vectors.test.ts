/** Our signatures against the vector that the official libraries publish: the same in those of JavaScript, Python, PHP and Go. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedHeaders } from '../../src/webhooks/sign.ts';

const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const none = { previousSecret: null, previousSecretUntil: null };

test('the published vector is signed as published', () => {
  const headers = signedHeaders(
    { secret: vector.secret, ...none },
    vector.id,
    vector.body,
    vector.timestamp * 1000 + 999,
  );
  assert.deepEqual(headers, {
    'webhook-id': vector.id,
    'webhook-timestamp': String(vector.timestamp),
    'webhook-signature': vector.signature,
  });
});

test('while two secrets are valid, a receiver that knows either finds its signature', () => {
  const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
  const now = vector.timestamp * 1000;
  const rotated = { secret: other, previousSecret: vector.secret, previousSecretUntil: now + 1 };
  const signatures = signedHeaders(rotated, vector.id, vector.body, now)['webhook-signature']!.split(' ');
  assert.equal(signatures.length, 2);
  assert.equal(signatures[1], vector.signature);
  const later = signedHeaders({ ...rotated, previousSecretUntil: now }, vector.id, vector.body, now);
  assert.equal(later['webhook-signature'], signatures[0]);
});
