/** The session of a device (docs/spec/devices.md, Session). */
import { Type } from 'typebox';
import { nullableText, nullableTimestamp, oneOf } from '../build.ts';

export const SessionSchema = Type.Object(
  {
    state: oneOf(['connecting', 'pairing', 'passkey_required', 'open', 'reconnecting', 'closed']),
    reason: nullableText({ description: 'What is wrong and what to do about it; null while all is well' }),
    phoneNumber: nullableText({ description: 'Phone number of the linked account; null if there is none' }),
    jid: nullableText(),
    lid: nullableText(),
    name: nullableText(),
    platform: nullableText(),
    pairingCode: nullableText({ description: '8 characters; show them as `ABCD-EFGH`' }),
    pairingCodeExpiresAt: nullableTimestamp('When the pairing code stops to work'),
    qrExpiresAt: nullableTimestamp('When the QR is replaced by the next one; null while there is none'),
    lastSeenAt: nullableTimestamp('When the session was last open'),
    reconnects: Type.Integer({ description: 'Reconnections since the service started' }),
  },
  { title: 'Session' },
);
