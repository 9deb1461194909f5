/** The audit log as the operator sees it (docs/operations.md). */
import { Type } from 'typebox';
import { type AuditEntry, auditActions } from '../../domain/audit.ts';
import { nullableInteger, nullableText, oneOf, timestamp } from './build.ts';
import { iso } from './message.ts';

export const AuditEntrySchema = Type.Object(
  {
    id: Type.Integer(),
    at: timestamp('When it was changed'),
    action: oneOf(auditActions, { description: 'What was done' }),
    actor: Type.Object({
      kind: oneOf(['key', 'operator', 'service'], {
        description: 'A key of a user, the operator, or the service itself',
      }),
      userId: nullableInteger({ description: 'Whose key' }),
      keyId: nullableInteger({ description: 'Which key' }),
      address: nullableText({ description: 'Where the request came from' }),
    }),
    userId: nullableInteger({ description: 'The user that was changed, or the owner of what was' }),
    keyId: nullableInteger({ description: 'The key that was changed' }),
    deviceId: nullableInteger({ description: 'The device that was changed, or whose webhook was' }),
    detail: Type.Record(Type.String(), Type.Unknown(), { description: 'What it became; never a secret' }),
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
