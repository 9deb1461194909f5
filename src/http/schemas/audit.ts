/** The audit log as the operator sees it (docs/operations.md). */
import { Type } from 'typebox';
import { type AuditEntry, auditActions } from '../../domain/audit.ts';
import { nullableInteger, nullableText, oneOf, timestamp } from '../wire/build.ts';
import { iso } from './messages/message.ts';

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
