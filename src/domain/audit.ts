/** A user by an API key, the operator by the admin token or on the machine itself, or the service. */
export type Actor =
  | { readonly kind: 'key'; readonly userId: number; readonly keyId: number; readonly address: string | null }
  | { readonly kind: 'operator'; readonly address: string | null }
  | { readonly kind: 'service' };

export const auditActions = [
  'user.created',
  'user.updated',
  'user.deleted',
  'key.created',
  'key.expiry_changed',
  'key.limited',
  'key.revoked',
  'device.created',
  'device.updated',
  'device.restarted',
  'device.disconnected',
  'device.exported',
  'device.adopted',
  'device.released',
  'device.imported',
  'device.forgotten',
  'device.captured',
  'device.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secret_rotated',
  'webhook.disabled',
  'secret.rotated',
  'backup.restored',
] as const;

export type AuditAction = (typeof auditActions)[number];

export interface AuditSubject {
  readonly userId?: number;
  readonly keyId?: number;
  readonly deviceId?: number;
}

export type AuditDetail = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly subject: AuditSubject;
  readonly detail: AuditDetail;
}

/** Of changes nobody asked for: the first start, a webhook that answered 410. */
export const theService: Actor = { kind: 'service' };
