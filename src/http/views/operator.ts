/** The operator's view: devices of all users, captures and the audit log. */
import type { Services } from '../wire/services.ts';
import type { DeviceScope } from '../../service/sessions/runtimes.ts';
import type { Capture } from '../../domain/network.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import { iso } from '../../domain/event-view.ts';

export const operatorDeviceView = async (services: Pick<Services, 'devices'>, scope: DeviceScope) => {
  const { id, name, status, messagesSent, subscription_status, createdAt } = await services.devices.get(scope);
  const { state, reason } = await services.devices.session(scope);
  return { id, userId: scope.userId, name, status, state, reason, messagesSent, subscription_status, createdAt };
};

export const captureView = ({ startedAt, endsAt, shapes }: Capture) => ({
  startedAt: new Date(startedAt).toISOString(),
  endsAt: new Date(endsAt).toISOString(),
  shapes: shapes.map((each) => ({ ...each })),
});

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
