/** The operator's view: devices of all users, captures and the audit log. */
import { Type } from 'typebox';
import type { DeviceScope } from '../../service/sessions/scope.ts';
import type { Parts } from '../wire/parts.ts';
import { nullableText, oneOf, timestamp, members, nullableInteger } from '../wire/build.ts';
import type { Capture } from '../../domain/network.ts';
import { type AuditEntry, auditActions } from '../../domain/audit.ts';
import { iso } from './messages/message.ts';

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

export const operatorDeviceView = async (parts: Pick<Parts, 'devices'>, scope: DeviceScope) => {
  const { id, name, status, messagesSent, subscription_status, createdAt } = await parts.devices.get(scope);
  const { state, reason } = await parts.devices.session(scope);
  return { id, userId: scope.userId, name, status, state, reason, messagesSent, subscription_status, createdAt };
};

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

export const captureView = ({ startedAt, endsAt, shapes }: Capture) => ({
  startedAt: new Date(startedAt).toISOString(),
  endsAt: new Date(endsAt).toISOString(),
  shapes: shapes.map((each) => ({ ...each })),
});

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

export const auditView = ({ id, at, action, actor, subject, detail }: AuditEntry) => ({
  id,
  at: iso(at),
  action,
  actor: {
    kind: actor.kind,
    userId: actor.kind === 'key' ? actor.userId : null,
    keyId: actor.kind === 'key' ? actor.keyId : null,
    address: actor.kind === 'service' ? null : actor.address,
  },
  userId: subject.userId ?? null,
  keyId: subject.keyId ?? null,
  deviceId: subject.deviceId ?? null,
  detail,
});
