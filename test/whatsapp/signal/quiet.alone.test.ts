/** Nothing of libsignal's own session code runs on our path, and nothing is printed: it prints private keys. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { decrypt, encrypt, establish, open, ourParty } from './support.ts';

const libsignal: Record<string, { prototype: object }> = createRequire(import.meta.resolve('baileys'))('libsignal');

/** Replaces the methods of a class by ones that note that they were called. */
const watch = (name: string, calls: string[]): void => {
  const type = libsignal[name];
  assert.ok(type, name);
  for (const method of Object.getOwnPropertyNames(type.prototype)) {
    const { value } = Object.getOwnPropertyDescriptor(type.prototype, method) ?? {};
    if (method === 'constructor' || typeof value !== 'function') continue;
    Reflect.defineProperty(type.prototype, method, { value: () => calls.push(`${name}.${method}`) });
  }
};

test('a whole conversation, with new sessions and failures, calls none of it and prints nothing', async () => {
  const calls: string[] = [];
  for (const name of ['SessionCipher', 'SessionBuilder', 'SessionRecord']) watch(name, calls);
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    console[method] = () => calls.push(`console.${method}`);
  }
  const [a, b] = [ourParty('1000@lid'), ourParty('2000@lid')];
  await establish(a, b);
  await establish(b, a);
  await open(a, ourParty('2000@lid'));
  await assert.rejects(decrypt(b, a, { type: 'msg', ciphertext: Buffer.alloc(80, 0x33) }));
  await decrypt(b, a, await encrypt(a, b, 'x')).catch(() => null);
  await a.repository.encryptGroupMessage({ group: '1@g.us', meId: a.jid, data: Buffer.from('x') });
  await a.repository.hasOpenSession(b.jid);
  await a.repository.deleteSession([b.jid]);
  assert.deepEqual(calls, []);
});
