/** The tables of webhooks and deliveries as Kysely sees them, and the webhook built from a row. */
import type { Generated, Selection } from 'kysely';
import type { DeliveryState } from '../../domain/delivery.ts';
import type { Turn } from '../../domain/webhooks/turn.ts';
import type { Webhook, WebhookSettings } from '../../domain/webhooks/webhook.ts';
import type { DeliveryDetail } from '../sealing/rows.ts';
import { contextOf, type Sealer, type SealedJson } from '../sealing/sealer.ts';

export interface WebhookContent extends Pick<WebhookSettings, 'url' | 'headers' | 'chats'> {
  readonly secret: string;
  readonly previousSecret: string | null;
}

export interface WebhooksTable {
  id: Generated<number>;
  user_id: number;
  /** Null: of all devices of the user. */
  device_id: number | null;
  is_primary: number;
  /** Set with the id, in the inserting transaction. */
  data: SealedJson<WebhookContent> | null;
  events: string;
  enabled: number;
  ordered: number;
  settle_seconds: number | null;
  created_at: number;
  previous_secret_until: number | null;
  /** Set by a 410. */
  disabled_at: number | null;
  failing_since: number | null;
  last_success_at: number | null;
  /** 1 while its deliveries are removed; readers do not see it. */
  deleted: Generated<number>;
}

export const webhookColumns = [
  'id',
  'user_id as userId',
  'device_id as deviceId',
  'is_primary',
  'data',
  'events',
  'enabled',
  'ordered',
  'settle_seconds as settleSeconds',
  'created_at as createdAt',
  'previous_secret_until as previousSecretUntil',
  'disabled_at as disabledAt',
  'failing_since as failingSince',
  'last_success_at as lastSuccessAt',
] as const;

type WebhookRow = Selection<{ webhooks: WebhooksTable }, 'webhooks', (typeof webhookColumns)[number]>;

export const webhookOf = (sealer: Sealer, row: WebhookRow): Webhook => {
  const { is_primary: isPrimary, data, events, enabled, ordered, ...rest } = row;
  return {
    ...rest,
    ...sealer.openKept(data!, contextOf('webhooks.data', row)),
    isPrimary: isPrimary === 1,
    events: JSON.parse(events),
    enabled: enabled === 1,
    ordered: ordered === 1,
  };
};

export interface WebhookQueuesTable {
  device_id: number;
  webhook_id: number;
  /** Null: nothing to post, or the webhook is disabled. */
  due_at: number | null;
}

export interface DeliveryQueuesTable {
  device_id: number;
  webhook_id: number;
  order_hash: string;
  /** The oldest pending delivery; its claim may include some that follow (`runOf` of `Outbox.claim`). */
  head_seq: number;
  due_at: number;
  leased: number;
}

export interface DeliveriesTable {
  device_id: number;
  webhook_id: number;
  seq: number;
  order_hash: string;
  state: DeliveryState;
  attempts: number;
  /** Null unless the delivery is pending. */
  next_attempt_at: number | null;
  created_at: number;
  delivered_at: number | null;
  last_attempt_at: number | null;
  last_status: number | null;
  last_duration_ms: number | null;
  last_detail: SealedJson<DeliveryDetail> | null;
  failing_since: Generated<number | null>;
  /** 1 once its chat no longer waits for it. */
  late: Generated<number>;
  brought_forward: Generated<number>;
  /** The process that wrote the delivery and posts it, for `freshLeaseMs`; no queue lists it. */
  claimed_by: number | null;
}

/** `due`: brought forward by the recovery of its endpoint, without using up its schedule. `tried`: that attempt failed. */
export const brought = { no: 0, due: 1, tried: 2 } as const;

/** Failed attempts, and successes followed by a manual retry. The newest is in `deliveries`, too. */
export interface AttemptsTable {
  device_id: number;
  webhook_id: number;
  seq: number;
  at: number;
  status: number | null;
  duration_ms: number | null;
  detail: SealedJson<DeliveryDetail> | null;
}

export interface ChatTurnsTable {
  device_id: number;
  chat_hash: string;
  /** Null: none of its times is due. */
  due_at: number | null;
  stored_at: number;
  data: SealedJson<Turn>;
}
