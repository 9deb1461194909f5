/** `statusOf` as a table (docs/spec/devices.md, Status and Grace). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DeviceStatus, type SessionState, graceMs, statusOf } from '../../src/domain/sessions/state.ts';
import { passkey } from './session-examples.ts';

const account = { jid: '49151@s.whatsapp.net', lid: null, phoneNumber: '49151', name: null, platform: null };
const offer = { qrText: 'qr', qrExpiresAt: 60_000, code: null };
const reconnecting = (unannounced: boolean): SessionState => ({
  kind: 'reconnecting',
  since: 1_000,
  attempt: 1,
  detail: 'gone',
  unannounced,
});

const table: readonly [string, SessionState, number, DeviceStatus][] = [
  ['open', { kind: 'open', since: 0, account }, 5_000, 'connected'],
  ['pairing', { kind: 'pairing', offer }, 5_000, 'qr'],
  ['passkey asked for', { kind: 'passkey_required', passkey }, 5_000, 'qr'],
  ['connecting', { kind: 'connecting' }, 5_000, 'timeout'],
  ['lost just now', reconnecting(true), 1_000, 'connected'],
  ['lost, at the last moment of the grace', reconnecting(true), 1_000 + graceMs - 1, 'connected'],
  ['lost, the grace is over, the timer is late', reconnecting(true), 1_000 + graceMs, 'timeout'],
  ['lost and announced', reconnecting(false), 1_001, 'timeout'],
  ['never paired', { kind: 'closed', reason: 'never_paired', detail: null }, 0, 'timeout'],
  ['the QR expired', { kind: 'closed', reason: 'pairing_expired', detail: null }, 0, 'timeout'],
  ['disconnected', { kind: 'closed', reason: 'logged_out', detail: null }, 0, 'timeout'],
  ['removed by the phone', { kind: 'closed', reason: 'removed_by_phone', detail: null }, 0, 'timeout'],
  ['inactive', { kind: 'closed', reason: 'inactive', detail: null }, 0, 'timeout'],
];

for (const [name, state, now, status] of table) {
  test(`${name}: ${status}`, () => assert.equal(statusOf(state, now), status));
}
