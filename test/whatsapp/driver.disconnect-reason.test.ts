/** Close codes and texts of Baileys as the domain's reasons. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disconnectReason } from '../../src/whatsapp/disconnect-reason.ts';

const boom = (statusCode: number, message: string): Error =>
  Object.assign(new Error(message), { output: { statusCode } });

const cases: readonly (readonly [string, Error | undefined, boolean, boolean, string])[] = [
  ['QR refs used up', boom(408, 'QR refs attempts ended'), false, false, 'pairing_expired'],
  ['stream ended while pairing', boom(428, 'Connection Terminated by Server'), false, false, 'pairing_expired'],
  ['cut while pairing', boom(428, 'Connection Terminated'), false, false, 'lost'],
  ['connection lost', boom(408, 'Connection was lost'), true, false, 'lost'],
  ['connection timed out', boom(408, 'WebSocket Error (ETIMEDOUT)'), true, false, 'lost'],
  ['device removed', boom(401, 'Stream Errored (conflict)'), true, false, 'removed_by_phone'],
  ['401 on login', boom(401, 'Connection Failure'), true, false, 'removed_by_phone'],
  ['401 just after a pairing', boom(401, 'Connection Failure'), true, true, 'lost'],
  ['401 while pairing', boom(401, 'Connection Failure'), false, false, 'pairing_failed'],
  ['temporary ban', boom(402, 'Connection Failure'), true, false, 'banned'],
  ['forbidden', boom(403, 'Connection Failure'), true, false, 'banned'],
  ['banned', boom(406, 'Connection Failure'), true, false, 'banned'],
  ['too old', boom(405, 'Connection Failure'), true, false, 'client_outdated'],
  ['user agent refused', boom(409, 'Connection Failure'), true, false, 'client_outdated'],
  ['multi-device mismatch', boom(411, 'Multi-device beta not joined'), true, false, 'lost'],
  ['closed by the server', boom(428, 'Connection Terminated by Server'), true, false, 'lost'],
  ['replaced', boom(440, 'Stream Errored (conflict)'), true, false, 'replaced'],
  ['bad session', boom(500, 'Stream Errored (unknown)'), true, false, 'lost'],
  ['unavailable', boom(503, 'Connection Failure'), true, false, 'lost'],
  ['restart asked for', boom(515, 'Stream Errored (restart required)'), true, false, 'lost'],
  ['refused', boom(408, 'WebSocket Error (connect ECONNREFUSED)'), true, false, 'lost'],
  ['no code at all', new Error('whatever'), true, false, 'lost'],
  ['no error at all', undefined, true, false, 'lost'],
];

for (const [name, error, linked, justPaired, kind] of cases) {
  test(`disconnect reason: ${name}`, () => {
    assert.equal(disconnectReason({ error, linked, justPaired }).kind, kind);
  });
}

test('disconnect reason: a loss says in words what happened', () => {
  const reason = disconnectReason({ error: boom(503, 'Connection Failure'), linked: true, justPaired: false });
  assert.deepEqual(reason, { kind: 'lost', detail: 'the network is unavailable for now (Connection Failure)' });
});
