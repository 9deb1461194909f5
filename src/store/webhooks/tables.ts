/** The tables of additional webhooks as Kysely sees them. Their deliveries, attempts and delivery queues have one more column than a device's own. */
import type { Generated } from 'kysely';
import type { ChatFilter } from '../../domain/webhooks/additional.ts';
import type { Turn } from '../../domain/webhooks/turn.ts';
import type { SealedJson } from '../sealing/sealer.ts';

export interface WebhookContent {
  readonly url: string;
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly chats: ChatFilter | null;
}

export interface WebhooksTable {
  id: Generated<number>;
  user_id: number;
  /** Null: of all devices of the user. */
  device_id: number | null;
  /** Set with the id, in the transaction that makes the row. */
  data: SealedJson<WebhookContent> | null;
  /** JSON array of event kinds. */
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
  /** 1 while its deliveries are being removed: it is gone for every reader. */
  deleted: Generated<number>;
}

export interface OfWebhook {
  webhook_id: number;
}

/** One row for each webhook and device with deliveries. */
export interface WebhookQueuesTable {
  device_id: number;
  webhook_id: number;
  /** When the outbox should look at it next; null: nothing to post, or nowhere to. */
  queue_at: number | null;
}

export const webhookContext = (id: number): string => `webhooks.data/${id}`;

/** Messages of a chat since the last answer. */
export interface ChatTurnsTable {
  device_id: number;
  chat_hash: string;
  /** When the first of its times is due; null: none is. */
  due_at: number | null;
  stored_at: number;
  data: SealedJson<Turn>;
}

export const chatTurnContext = (row: Pick<ChatTurnsTable, 'device_id' | 'chat_hash'>): string =>
  `chat_turns/${row.device_id}/${row.chat_hash}`;
