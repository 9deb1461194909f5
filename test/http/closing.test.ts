/** Closing the server ends what nobody waits for, and waits for what somebody does. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startHttp } from './harness.ts';

test('a connection on which no request has come does not hold the server up', async () => {
  await using harness = await startHttp();
  const ahead = connect(harness.port, '127.0.0.1');
  await once(ahead, 'connect');
  // An answer on a connection made later: the server has seen the first one by now.
  assert.equal((await harness.api.get('/me')).status, 200);
  const ended = once(ahead, 'close');
  ahead.resume();
  const started = performance.now();
  await harness.server.close();
  assert.ok(performance.now() - started < 30_000, 'closing waited for an unused connection');
  await ended;
});
