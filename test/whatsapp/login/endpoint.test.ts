/** Whom the driver trusts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realEndpoint, sandboxEndpoint } from '../../../src/whatsapp/connection/endpoint.ts';

const rootKey = 'ab'.repeat(32);
const sandbox = (socketUrl: string, key = rootKey) => sandboxEndpoint({ socketUrl, rootKey: key, mediaCa: '' });

for (const url of [
  'wss://web.whatsapp.com/ws/chat',
  'wss://whatsapp.com',
  'wss://g.whatsapp.net/ws',
  'ws://WEB.WHATSAPP.COM:443/',
]) {
  test(`endpoint: no foreign root key for ${url}`, () => {
    assert.throws(() => sandbox(url), /must not be trusted on the real network/);
  });
}

test('endpoint: a root key is 64 hex digits', () => {
  assert.throws(() => sandbox('ws://127.0.0.1:1', 'ab'), /64 hex digits/);
  assert.equal(sandbox('ws://127.0.0.1:1').sandbox, true);
});

test("endpoint: the network's own key is the only one that its servers are verified with", () => {
  sandbox('ws://127.0.0.1:1');
  assert.equal(
    Buffer.from(realEndpoint().rootKey).toString('hex'),
    '142375574d0a587166aae71ebe516437c4a28b73e3695c6ce1f7f9545da8ee6b',
  );
});
