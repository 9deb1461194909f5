/** Whom the driver trusts, and what its engine may log. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WA_CERT_DETAILS } from 'baileys';
import { pino } from 'pino';
import { realEndpoint, sandboxEndpoint, trustRootKey } from '../../src/whatsapp/endpoint.ts';
import { engineLog } from '../../src/whatsapp/engine-log.ts';

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

test('endpoint: one process is on the real network or on a sandbox', () => {
  const real = Buffer.from(WA_CERT_DETAILS.PUBLIC_KEY);
  trustRootKey(realEndpoint());
  assert.deepEqual(Buffer.from(WA_CERT_DETAILS.PUBLIC_KEY), real);
  assert.throws(() => trustRootKey(sandbox('ws://127.0.0.1:1')), /a process of its own/);
  assert.deepEqual(Buffer.from(WA_CERT_DETAILS.PUBLIC_KEY), real);
});

const linesAt = (level: string): readonly { level: number }[] => {
  const lines: { level: number }[] = [];
  const log = engineLog(pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) }));
  for (const say of ['trace', 'debug', 'info', 'warn', 'error'] as const) log[say]({ jid: 'secret' }, 'message');
  log.child({}).error({ jid: 'secret' }, 'message');
  return lines;
};

test('engine log: nothing of Baileys comes above debug', () => {
  assert.deepEqual(linesAt('info'), []);
  assert.deepEqual(new Set(linesAt('trace').map(({ level }) => level)), new Set([10, 20]));
  assert.equal(linesAt('debug').length, 5);
});
