/** The session of a device (docs/spec/devices.md, Session). */
import { Type } from 'typebox';
import { nullableTimestamp, nullableText, nullableInteger, oneOf, timestamp, nullable } from '../../build.ts';

export const LimitsSchema = Type.Object(
  {
    restrictedUntil: nullableTimestamp(
      'When the restriction ends; null if nothing is restricted, or the network did not say',
    ),
    reason: nullableText({ description: 'What is restricted and what to do about it; null while nothing is' }),
    newChats: Type.Object(
      {
        used: nullableInteger({ description: 'New chats started in this period; null if unknown' }),
        limit: nullableInteger({ description: 'New chats allowed in this period; null: no limit is known' }),
        resetsAt: nullableTimestamp('When the next period begins'),
      },
      { title: 'NewChats' },
    ),
  },
  { title: 'Limits' },
);

const BacklogSchema = Type.Object(
  {
    state: oneOf(['receiving', 'complete', 'stalled'], {
      description: '`stalled`: nothing arrived for 60 s, though the network has not reported the end',
    }),
    announced: nullableInteger({
      description: 'Stanzas that the network announced, an estimate; null: none announced',
    }),
    requested: Type.Integer({
      description: 'Stanzas requested so far, 200 at a time, so it can exceed the number that exist',
    }),
    received: Type.Integer({ description: 'Stanzas received so far: messages, receipts, notices and calls' }),
    startedAt: timestamp('When it began'),
    completedAt: nullableTimestamp('When the network reported that it had sent everything; null before'),
  },
  {
    title: 'Backlog',
    description:
      'What waited at the network while the device was away. Null while the session is not open, and before the network has told of it',
  },
);

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
    pairingCodeExpiresAt: nullableTimestamp('When the pairing code expires'),
    qrExpiresAt: nullableTimestamp('When the QR is replaced by the next one; null while there is none'),
    lastSeenAt: nullableTimestamp('When the session was last open'),
    reconnects: Type.Integer({ description: 'Reconnections since the service started' }),
    backlog: nullable(BacklogSchema),
  },
  { title: 'Session' },
);
