/** Our signatures against the vector that the official libraries publish: the same in those of JavaScript, Python, PHP and Go. */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { signed } from '../../src/webhooks/attempt.ts';

const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const none = { previousSecret: null, previousSecretUntil: null };

test('the published vector is signed as published', () => {
  const { headers, body } = signed(
    { secret: vector.secret, ...none },
    vector.id,
    vector.body,
    vector.timestamp * 1000 + 999,
  );
  assert.equal(Buffer.from(body).toString(), vector.body);
  assert.deepEqual(headers, {
    'content-type': 'application/json',
    'webhook-id': vector.id,
    'webhook-timestamp': String(vector.timestamp),
    'webhook-signature': vector.signature,
  });
});

test('while two secrets are valid, a receiver that knows either finds its signature', () => {
  const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
  const now = vector.timestamp * 1000;
  const rotated = { secret: other, previousSecret: vector.secret, previousSecretUntil: now + 1 };
  const signatures = signed(rotated, vector.id, vector.body, now).headers['webhook-signature']!.split(' ');
  assert.equal(signatures.length, 2);
  assert.equal(signatures[1], vector.signature);
  const later = signed({ ...rotated, previousSecretUntil: now }, vector.id, vector.body, now);
  assert.equal(later.headers['webhook-signature'], signatures[0]);
});

test('keys of any length, and bodies of any text, are signed as node:crypto does', () => {
  for (const length of [1, 24, 63, 64, 65, 100]) {
    const key = randomBytes(length);
    const text = JSON.stringify({ text: `Grüße, 你好 👋 ${'x'.repeat(40 * length)}`, length });
    const { headers, body } = signed({ secret: `whsec_${key.toString('base64')}`, ...none }, 'evt_1', text, 5999);
    assert.equal(Buffer.from(body).toString(), text);
    const expected = createHmac('sha256', key).update(`evt_1.5.${text}`).digest('base64');
    assert.equal(headers['webhook-signature'], `v1,${expected}`);
  }
});
