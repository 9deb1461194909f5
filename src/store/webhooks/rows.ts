/** A row of `webhooks`, and the webhook that it stands for. */
import type { Selectable } from 'kysely';
import type { AdditionalWebhook } from '../../domain/webhooks/additional.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { type WebhooksTable, webhookContext } from './tables.ts';

export const webhookColumns = [
  'id',
  'user_id',
  'device_id',
  'data',
  'events',
  'enabled',
  'ordered',
  'settle_seconds',
  'created_at',
  'previous_secret_until',
  'disabled_at',
  'failing_since',
  'last_success_at',
] as const;

export type WebhookRow = Pick<Selectable<WebhooksTable>, (typeof webhookColumns)[number]>;

export const webhookOf = (sealer: Sealer, row: WebhookRow): AdditionalWebhook => {
  const { url, secret, previousSecret, headers, chats } = sealer.openKept(row.data!, webhookContext(row.id));
  return {
    id: row.id,
    userId: row.user_id,
    deviceId: row.device_id,
    url,
    events: JSON.parse(row.events),
    chats,
    headers,
    enabled: row.enabled === 1,
    ordered: row.ordered === 1,
    settleSeconds: row.settle_seconds,
    createdAt: row.created_at,
    secret,
    previousSecret,
    previousSecretUntil: row.previous_secret_until,
    disabledAt: row.disabled_at,
    failingSince: row.failing_since,
    lastSuccessAt: row.last_success_at,
  };
};
