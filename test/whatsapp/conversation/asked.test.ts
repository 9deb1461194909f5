/** Questions that the network leaves without an answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asked } from '../../../src/whatsapp/engine/asked.ts';

test('silence is an error before the engine takes it for an answer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { promise, resolve } = Promise.withResolvers<string>();
  setTimeout(() => resolve('as if answered'), 20_000);
  const answer = asked(1, {}, () => promise);
  t.mock.timers.tick(20_000);
  await assert.rejects(answer, { name: 'RequestTimeout' });
});

test('a connection that ends meanwhile is said to have ended', async () => {
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- as the engine does
  await assert.rejects(
    asked(1, {}, () => Promise.reject(1006)),
    { name: 'DeviceNotConnected' },
  );
});
