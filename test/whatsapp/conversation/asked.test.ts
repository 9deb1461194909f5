/** Questions that the network leaves without an answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionClosed } from '../../../src/whatsapp/socket/connection-ended.ts';
import { asked } from '../../../src/whatsapp/socket/query.ts';

test('questions that take too long together are an error', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { promise, resolve } = Promise.withResolvers<string>();
  setTimeout(() => resolve('answered'), 20_000);
  const answer = asked(1, {}, () => promise);
  t.mock.timers.tick(20_000);
  await assert.rejects(answer, { name: 'RequestTimeout' });
});

test('a connection that ends meanwhile is said to have ended', async () => {
  await assert.rejects(
    asked(1, {}, () => Promise.reject(connectionClosed())),
    { name: 'DeviceNotConnected' },
  );
});
