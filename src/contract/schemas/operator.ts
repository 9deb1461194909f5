/** The operator's view: devices of all users, captures and the audit log. */
import { Type } from 'typebox';
import { oneOf, nullableText, timestamp, members, nullableInteger } from '../build.ts';
import { auditActions } from '../../domain/audit.ts';

export const OperatorDeviceSchema = Type.Object(
  {
    id: Type.Integer(),
    userId: Type.Integer({ description: 'The owner' }),
    name: Type.String(),
    status: oneOf(['connected', 'qr', 'timeout']),
    state: Type.String({ description: 'State of the session, as in `/devices/{id}/session`' }),
    reason: nullableText({ description: 'Why it is in this state, for people' }),
    messagesSent: Type.Integer(),
    subscription_status: oneOf(['active', 'inactive']),
    createdAt: timestamp('When it was made'),
  },
  { title: 'OperatorDevice' },
);

export const CaptureSchema = Type.Object(
  {
    startedAt: timestamp('When it began'),
    endsAt: timestamp('When it ends'),
    shapes: Type.Array(
      Type.Object({
        shape: Type.String({ description: 'A node or an attribute of stanzas, without its value' }),
        count: Type.Integer({ description: 'Stanzas that had it' }),
      }),
      { description: 'What was seen so far, without content, numbers, names, ids and keys' },
    ),
  },
  { title: 'Capture' },
);

export const StartCaptureSchema = members(
  {
    seconds: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'How long to capture: at most a day',
      errorMessage: 'must be a whole number from 1 to 86400',
    }),
  },
  { title: 'StartCapture' },
);

export const AuditEntrySchema = Type.Object(
  {
    id: Type.Integer(),
    at: timestamp('When it was changed'),
    action: oneOf(auditActions, { description: 'The action' }),
    actor: Type.Object({
      kind: oneOf(['key', 'operator', 'service'], {
        description: 'A key of a user, the operator, or the service itself',
      }),
      userId: nullableInteger({ description: 'Owner of the key' }),
      keyId: nullableInteger({ description: 'The key' }),
      address: nullableText({ description: 'Address of the client' }),
    }),
    userId: nullableInteger({ description: 'The changed user, or the owner of the changed object' }),
    keyId: nullableInteger({ description: 'The changed key' }),
    deviceId: nullableInteger({ description: 'The changed device, or the device of the changed webhook' }),
    detail: Type.Record(Type.String(), Type.Unknown(), { description: 'The new values; never a secret' }),
  },
  { title: 'AuditEntry' },
);
