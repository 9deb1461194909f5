/** Codes and texts of ended connections as the domain's reasons. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionEnded } from '../../../src/whatsapp/socket/connection-ended.ts';
import { disconnectReason } from '../../../src/whatsapp/connection/disconnect-reason.ts';

const ended = (code: number, message: string, details: unknown = {}): Error =>
  new ConnectionEnded(message, code, details);
const now = Date.UTC(2026, 10, 22);

const cases: readonly (readonly [string, Error | undefined, boolean, boolean, string])[] = [
  ['stream ended while pairing', ended(428, 'Connection Terminated by Server'), false, false, 'pairing_expired'],
  ['cut while pairing', ended(428, 'Connection Terminated'), false, false, 'lost'],
  ['connection lost', ended(408, 'Connection was lost'), true, false, 'lost'],
  ['connection timed out', ended(408, 'WebSocket Error (ETIMEDOUT)'), true, false, 'lost'],
  ['device removed', ended(401, 'Stream Errored (conflict)'), true, false, 'removed_by_phone'],
  ['401 on login', ended(401, 'Connection Failure'), true, false, 'removed_by_phone'],
  ['401 just after a pairing', ended(401, 'Connection Failure'), true, true, 'lost'],
  ['401 while pairing', ended(401, 'Connection Failure'), false, false, 'pairing_failed'],
  ['temporary ban', ended(402, 'Connection Failure'), true, false, 'temporarily_banned'],
  ['locked', ended(403, 'Connection Failure'), true, false, 'locked'],
  ['banned', ended(406, 'Connection Failure'), true, false, 'banned'],
  ['too old', ended(405, 'Connection Failure'), true, false, 'client_outdated'],
  ['user agent refused', ended(409, 'Connection Failure'), true, false, 'client_outdated'],
  ['multi-device mismatch', ended(411, 'Multi-device beta not joined'), true, false, 'lost'],
  ['closed by the server', ended(428, 'Connection Terminated by Server'), true, false, 'lost'],
  ['replaced', ended(440, 'Stream Errored (conflict)'), true, false, 'replaced'],
  ['bad session', ended(500, 'Stream Errored (unknown)'), true, false, 'lost'],
  ['unavailable', ended(503, 'Connection Failure'), true, false, 'lost'],
  ['restart asked for', ended(515, 'Stream Errored (restart required)'), true, false, 'lost'],
  ['refused', ended(408, 'WebSocket Error (connect ECONNREFUSED)'), true, false, 'lost'],
  ['forced log-out', ended(516, 'Stream Errored (unknown)'), true, false, 'removed_by_phone'],
  ['no code at all', new Error('whatever'), true, false, 'lost'],
  ['no error at all', undefined, true, false, 'lost'],
];

for (const [name, error, linked, justPaired, kind] of cases) {
  test(`disconnect reason: ${name}`, () => {
    assert.equal(disconnectReason({ error, linked, justPaired }, now).kind, kind);
  });
}

test('disconnect reason: a loss says in words what happened', () => {
  const reason = disconnectReason({ error: ended(503, 'Connection Failure'), linked: true, justPaired: false }, now);
  assert.deepEqual(reason, { kind: 'lost', detail: 'the network is unavailable for now (Connection Failure)' });
});

const reasonFor = (error: unknown) => disconnectReason({ error, linked: true, justPaired: false }, now);

test('disconnect reason: seconds for what passes, minutes for what the network refuses', () => {
  const paceOf = (code: number): unknown => {
    const reason = reasonFor(ended(code, 'Connection Failure'));
    return reason.kind === 'lost' ? (reason.pace ?? 'fast') : reason.kind;
  };
  for (const code of [408, 428, 500, 501, 503, 515, 599, 700]) assert.equal(paceOf(code), 'fast', String(code));
  for (const code of [400, 404, 411, 413, 414, 415, 418, 429, 499]) assert.equal(paceOf(code), 'slow', String(code));
});

const bans: readonly (readonly [string, Record<string, string>, number | null, number | null])[] = [
  ['a code and seconds', { reason: '402', code: '101', expire: '86400' }, 101, now + 86_400_000],
  ['the moment itself', { reason: '402', code: '106', expire: String(now / 1000 + 60) }, 106, now + 60_000],
  ['no end', { reason: '402', code: '102' }, 102, null],
  ['an end of nothing', { reason: '402', code: '102', expire: '0' }, 102, null],
  ['an end that is no number', { reason: '402', code: 'x', expire: 'soon' }, null, null],
  ['an end after the end of time', { reason: '402', code: '103', expire: '9007199254740991' }, 103, null],
  ['neither', { reason: '402' }, null, null],
];

for (const [name, attributes, code, until] of bans) {
  test(`disconnect reason: a temporary ban with ${name}`, () => {
    assert.deepEqual(reasonFor(ended(402, 'Connection Failure', attributes)), {
      kind: 'temporarily_banned',
      ban: { code, until },
    });
  });
}

test('disconnect reason: the words of the network are told, as far as they are words', () => {
  const said = (code: number, data: object): unknown => {
    const reason = reasonFor(ended(code, 'Connection Failure', data));
    return 'said' in reason ? reason.said : undefined;
  };
  const locked = {
    logout_message_header: 'Account locked',
    logout_message_subtext: 'Open the app\u0000\u202e on the phone',
  };
  assert.equal(said(403, locked), 'Account locked: Open the app on the phone');
  assert.equal(said(406, { logout_message_subtext: 'Banned' }), 'Banned');
  assert.equal(said(401, { message: 'x'.repeat(100_000) }), 'x'.repeat(300));
  assert.equal(
    said(401, { tag: 'conflict', attrs: { type: 'device_removed', reason: 'companion_limit' } }),
    'companion_limit',
  );
  assert.equal(
    said(440, { tag: 'conflict', attrs: { type: 'replaced', reason: 'opened_elsewhere' } }),
    'opened_elsewhere',
  );
  for (const nothing of [
    {},
    { message: '' },
    { logout_message_header: '\n' },
    { tag: 'conflict', attrs: {} },
    { tag: 'conflict' },
  ])
    assert.equal(said(403, nothing), undefined);
});
